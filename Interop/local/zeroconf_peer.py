"""Announces a service or finds services with python-zeroconf, and prints one line of JSON for each event, like local-peer.

    zeroconf_peer.py ADDRESS publish NAME TYPE PORT [KEY=VALUE ...]
    zeroconf_peer.py ADDRESS browse TYPE

A line "withdraw" on the standard input withdraws the service; the end of the input ends the program.
"""

import json
import socket
import sys

from zeroconf import IPVersion, ServiceBrowser, ServiceInfo, ServiceListener, Zeroconf


def report(**record):
    print(json.dumps(record, sort_keys=True), flush=True)


class Listener(ServiceListener):
    def describe(self, event, zeroconf, kind, name):
        info = zeroconf.get_service_info(kind, name)
        if info:
            text = {key.decode(): (value or b"").decode() for key, value in info.properties.items()}
            report(
                event=event, name=name.removesuffix(f".{kind}"), host=info.server, port=info.port, text=text,
                addresses=sorted(info.parsed_addresses(IPVersion.All)))

    def add_service(self, zeroconf, kind, name):
        self.describe("found", zeroconf, kind, name)

    def update_service(self, zeroconf, kind, name):
        self.describe("changed", zeroconf, kind, name)

    def remove_service(self, zeroconf, kind, name):
        report(event="lost", name=name.removesuffix(f".{kind}"))


def main():
    address, verb, *rest = sys.argv[1:]
    zeroconf = Zeroconf(interfaces=[address])
    info = None
    if verb == "browse":
        ServiceBrowser(zeroconf, f"{rest[0]}.local.", Listener())
    else:
        name, kind, port, *pairs = rest
        info = ServiceInfo(
            f"{kind}.local.", f"{name}.{kind}.local.", addresses=[socket.inet_aton(address)], port=int(port),
            properties=dict(pair.split("=", 1) for pair in pairs), server="foreign.local.")
        zeroconf.register_service(info, allow_name_change=True)
        report(event="established", name=info.name.removesuffix(f".{kind}.local."))
    for line in sys.stdin:
        if line.strip() == "withdraw" and info:
            zeroconf.unregister_service(info)
    zeroconf.close()


if __name__ == "__main__":
    main()

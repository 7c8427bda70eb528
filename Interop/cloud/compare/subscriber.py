"""Subscribes to everything below a topic and keeps each message with its moment: python subscriber.py PORT TOPIC FILE. Writes the file at the end of its input."""

import gc
import json
import sys
import time

import paho.mqtt.client as mqtt

port, topic, path = sys.argv[1:]
messages = []
client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.on_message = lambda client, data, message: messages.append((time.monotonic_ns(), message.topic, message.payload))
client.on_connect = lambda *_: client.subscribe(topic, 0)
client.on_subscribe = lambda *_: print("ready", flush=True)
client.connect("127.0.0.1", int(port))
gc.disable()
client.loop_start()
sys.stdin.read()
client.disconnect()
client.loop_stop()
with open(path, "w") as file:
    for moment, name, payload in messages:
        try:
            value = json.loads(payload)
        except ValueError:
            continue
        if isinstance(value, dict) and "rssi" in value:
            file.write(f"{moment} {name.rsplit('/', 1)[1].replace(':', '')} {value['rssi']}\n")

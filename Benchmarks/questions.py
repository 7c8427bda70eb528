"""Documentation/Performance.md: the questions, their answers and their plots, from the figures of Figures/."""

import plots
import report

# The operations of the hosts, by their names in `instructions`.
OPERATIONS = [
    ("report", "report, new device"),
    ("report-of-100", "report, known device"),
    ("write-command", "write command, 244 octets"),
    ("read", "read, 20 octets"),
    ("notification", "notification, 244 octets"),
    ("discovery", "discovery, 20 services"),
    ("connect", "connect, first"),
    ("reconnect", "connect, again"),
]


class Figures:
    """The values of all chapters by name and stack."""

    def __init__(self):
        self.values = {}
        self.dates = {}
        for word, _ in report.CHAPTERS:
            for run in report.load(word):
                for figure in run["figures"]:
                    self.values[figure["figure"], figure["stack"]] = figure["value"]
                    self.dates[figure["figure"]] = (run["date"], run["machine"])

    def __call__(self, name, stack="ours"):
        return self.values.get((name, stack))

    def starting(self, prefix):
        return {name: value for (name, stack), value in self.values.items() if stack == "ours" and name.startswith(prefix)}

    def measured(self, *prefixes):
        """Returns a sentence: the days and machines of the figures whose names start so."""
        runs = sorted({run for name, run in self.dates.items() if name.startswith(prefixes)})
        return "Figures of " + ", and of ".join(f"{date} ({machine})" for date, machine in runs) + "."


def span(values):
    values = sorted(values)
    return f"{round_text(values[0])} to {round_text(values[-1])}"


def round_text(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"


class Page:
    """The text of the page, and its plots by name."""

    def __init__(self):
        self.out = ["# Performance", "", (report.here / "Chapters" / "introduction.md").read_text().strip(), ""]
        self.plots = {}

    def section(self, heading):
        self.out += [f"## {heading}", ""]

    def say(self, *lines):
        self.out += [*lines, ""]

    def plot(self, name, alternative, make, *arguments, **options):
        self.plots[name] = make(alternative, *arguments, **options)
        self.out += [f"![{alternative}](Pictures/performance-{name}.svg)", ""]

    def more(self, measured, *links):
        self.say(f"{measured} More: " + ", ".join(f"[{dict(report.CHAPTERS)[word].lower() if word != 'host' else 'processor time'}](Performance/{word}.md)" for word in links) + ".")


# The steps of `host-client`, by their names in `host`.
STEPS = [
    ("advertisement", "report, new device"),
    ("write-command", "write command, 244 octets"),
    ("read", "read, 20 octets"),
    ("notification", "notification, 244 octets"),
    ("discovery", "discovery, 20 services"),
    ("connect", "connect, first"),
]


def host_time(f, page):
    page.section("How much processor time does a host need for a packet?")
    times = [f(f"host.{step}.unix", "Bumble") / f(f"host.{step}.unix", "CoreBluetooth") for step in ("advertisement", "write-command", "read", "notification")]
    connect = f("host.connect.unix", "CoreBluetooth"), f("host.connect.unix", "Bumble")
    page.say(
        f"**Bumble takes {span(times)} times as long as `CoreBluetooth`.** The first connection of a process takes {round_text(connect[0])} µs with `CoreBluetooth` and {round_text(connect[1])} µs with Bumble, "
        f"{round_text(connect[1] / connect[0])} times as long.")
    stacks = ["runtime API", "CoreBluetooth", "Bumble"]
    page.plot(
        "host-time",
        "Processor time of an operation in three hosts, logarithmic. For a read: " + ", ".join(f"{stack} {report.number(f('host.read.unix', stack))}" for stack in stacks) + " microseconds.",
        plots.bars, "Processor time of one operation: shorter is better",
        [(title, [(stack, f(f"host.{step}.unix", stack), None, None) for stack in stacks]) for step, title in STEPS], "microseconds, logarithmic", logarithmic=True)
    page.say(
        "All are from one run on one core. What stands in the way:", "",
        "- *Reads*: the kernel takes most of the time (`poll`, `recv`, `send`). `CoreBluetooth` adds two thread switches, because the delegate's queue has its own thread.",
        "- *Reports*: a new device needs an identifier and an entry in the table of advertisers; in `CoreBluetooth` also a `CBPeripheral` and a dictionary.",
        "- *Discovery*: 123 sequential requests, each of which passes three layers of events.")
    page.more(f.measured("host."), "host")


def host_instructions(f, page):
    page.section("How many instructions does a host need?")
    kinds = [("runtime API", "runtime", 0), ("CoreBluetooth", "facade", 1)]
    results = [(f(f"instructions.{kind}.{o}"), report.TARGETS[o][i]) for o, _ in OPERATIONS for _, kind, i in kinds]
    results = [(value, target) for value, target in results if value is not None]
    met = sum(value <= target for value, target in results)
    facade = [f(f"instructions.facade.{o}") / f(f"instructions.runtime.{o}") for o, _ in OPERATIONS]
    page.say(f"**{met} of {len(results)} operations meet{'s' if met == 1 else ''} their target.** `CoreBluetooth` needs {span(facade)} times as many instructions as the runtime API below it.")

    page.plot(
        "host-instructions",
        f"Instructions of an operation, logarithmic, with the targets. A notification takes {report.number(f('instructions.runtime.notification'))} with the runtime API, with a target of 1,370, and {report.number(f('instructions.facade.notification'))} with CoreBluetooth, "
        f"with a target of 2,800; a read takes {report.number(f('instructions.runtime.read'))} and {report.number(f('instructions.facade.read'))}, with targets of 5,700 and 9,000.",
        plots.bars, "Instructions of one operation in user space: fewer is better",
        [(title, [(stack, f(f"instructions.{kind}.{o}"), None, report.TARGETS[o][i]) for stack, kind, i in kinds]) for o, title in OPERATIONS],
        "instructions, logarithmic", logarithmic=True, mark="target")
    page.say("What stands in the way:", "",
        "- *Reports* of new devices: `CoreBluetooth` adds 4,600 instructions for a dictionary, a `CBPeripheral`, their ends and their place.",
        "- *Reads and discovery*: in `CoreBluetooth`, references take 1,600 instructions of a read, the change of threads 1,500 and locks 700; a discovery is 123 requests.",
        "- *Write commands* with the runtime API take 1,400 to 2,400: values for which the controller has no room wait in the queue of the link.")
    page.more(f.measured("instructions.runtime.", "instructions.facade."), "instructions", "allocations", "callback")


# The requirement of a connection interval in percent.
REQUIRED = {30: 97.5, 100: 99.0, 400: 99.5}


def on_air(f, page):
    page.section("How much of the physical limit does a link reach?")
    rows = []
    for phy in ("1m", "2m", "s2", "s8"):
        for interval, required in REQUIRED.items():
            values = f.starting(f"on-air.{phy}.{interval}ms.").values()
            title = {"s2": "Coded S=2", "s8": "Coded S=8"}.get(phy, phy.upper())
            rows.append((f"{title}, {interval} ms", min(values), max(values), required))
    least = min(row[1] for row in rows)
    shared = f.starting("on-air.sharing.total.")
    page.say(
        f"**At least {least:.1f} %.** The limit is the number of full data PDUs that fit into the connection events. The plot has notifications, write commands and channels, one way and both ways.",
        f"On 2M at 400 ms, notifications carry {report.number(f('on-air.rate.notifications.mic'))} kbit/s on an encrypted link. Two to eight links of one central reach {min(shared.values()):.1f} % or more of one link alone.")
    page.plot(
        "on-air", f"Data that arrives, in percent of what fits, for four PHYs at three connection intervals: {least:.1f} to {max(row[2] for row in rows):.1f} percent. {sum(row[1] >= row[3] for row in rows)} of {len(rows)} rows meet the requirement.",
        plots.ranges, "Data that arrives on a link of the virtual radio", rows, "percent of what fits into the connection events; the event at either end can count one packet too many", 97, 101, "requirement")
    page.more(f.measured("on-air."), "on-air", "events")


def crowd(f, page):
    page.section("What does the virtual radio cost with many devices?")
    costs = [(count, f(f"crowd.advertisers.{count}.transmission")) for count in (10, 100, 1_000, 10_000)]
    idle = [f(f"crowd.idle.{count}") for count in (10, 100, 1_000, 10_000)]
    page.say(
        f"**{span([y for _, y in costs])} µs for a transmission, from 10 to 10,000 advertisers.** Devices that are not due cost nothing: a second of an active link takes {span(idle)} µs of processor time, with 10 to 10,000 idle devices around it.",
        f"An hour of an office with 200 devices takes {report.number(f('crowd.office.hour'))} s.")
    page.plot(
        "crowd", "Processor time of one transmission by the number of advertisers: " + ", ".join(f"{report.number(y)} microseconds for {x:,}" for x, y in costs) + ".",
        plots.lines, "Processor time of one transmission in a city", costs, "advertisers, logarithmic", "microseconds")
    page.say("What stands in the way: from 1,000 devices on, the state exceeds the caches of the processor.")
    page.more(f.measured("crowd.advertisers.", "crowd.idle.", "crowd.office."), "crowd")


def controller(f, page):
    page.section("How fast is the virtual controller?")
    kinds = [("sockets.251", "over sockets"), ("in-process.251", "in one process"), ("encrypted.251", "in one process, encrypted")]
    rates = [(title, f(f"controller.{name}")) for name, title in kinds]
    page.say(f"**{report.number(round(rates[0][1], -3))} packets a second over sockets.** In one process, a second of processor time is enough for {report.number(round(rates[1][1], -3))}, or {report.number(round(rates[2][1], -3))} encrypted ones.")
    page.plot(
        "controller", "Packets a second through two virtual controllers: " + ", ".join(f"{title} {report.number(value)}" for title, value in rates) + ".",
        plots.bars, "Packets of 251 octets a second: longer is better", [(title, [("OpenCoreBluetooth", value, report.number(value), None)]) for title, value in rates], "packets a second", has_legend=False)
    page.more(f.measured("controller."), "controller")


LOADS = [("quiet", "100 notifications/s"), ("busy", "5,000 notifications/s"), ("crowded", "5,000, and 5,000 reports/s"), ("heavy", "50,000 notifications/s")]


def latency(f, page):
    page.section("How long does a notification take to the delegate?")
    value = lambda load, stack: f(f"latency.{load}.{stack}", stack)
    tails = [value(load, "p99.9") / 1000 for load, _ in LOADS]
    page.say(
        f"**{span([value(load, 'p50') for load, _ in LOADS])} µs in the median, by the rate.** At most {report.number(max(value(load, 'p99') for load, _ in LOADS))} µs for 99 %. The slowest thousandth takes {span(tails)} ms or more: sender and host share two cores, and the sender never sleeps.")
    page.plot(
        "latency", "Age of a value in the delegate, logarithmic. " + " ".join(f"{title}: median {report.number(value(load, 'p50'))}, 99 percent {report.number(value(load, 'p99'))}, 99.9 percent {report.number(value(load, 'p99.9'))} microseconds." for load, title in LOADS),
        plots.bars, "Age of a notification in the delegate: shorter is better", [(title, [(stack, value(load, stack), None, None) for stack in ("p50", "p99", "p99.9")]) for load, title in LOADS],
        "microseconds, logarithmic", logarithmic=True)
    page.more(f.measured("latency."), "latency")


def gateway(f, page):
    page.section("How much passes through a gateway?")
    kinds = [("advertisements", "50,000"), ("notifications", "20,000")]
    dropped = sum(f(f"gateway.{kind}.dropped") for kind, _ in kinds)
    memory = max(f(f"gateway.{kind}.memory") for kind, _ in kinds)
    page.say(
        f"**50,000 advertisements or 20,000 notifications a second, {'none' if not dropped else report.number(dropped)} of them lost.** 99 % arrive within {report.number(max(f(f'gateway.{kind}.delay.p99') for kind, _ in kinds))} µs; the target is 1 ms. The gateway allocates {report.number(memory)} MB; the target is 20 MB.")
    parts = [("median", "p50"), ("99 %", "p99")]
    page.plot(
        "gateway", "Delay through a gateway. " + " ".join(f"{rate} {kind} a second: median {report.number(f(f'gateway.{kind}.delay.p50'))}, 99 percent {report.number(f(f'gateway.{kind}.delay.p99'))} microseconds." for kind, rate in kinds) + " The target for 99 percent is 1,000.",
        plots.bars, "Delay from the gateway's adapter to the program: shorter is better",
        [(f"{rate} {kind}/s", [(name, f(f"gateway.{kind}.delay.{part}"), None, 1000 if part == "p99" else None) for name, part in parts]) for kind, rate in kinds], "microseconds", mark="target for 99 %")
    page.more(f.measured("gateway."), "gateway")


def cloud(f, page):
    page.section("How does a gateway to a broker compare with Theengs Gateway?")
    pairs = [
        # name, title, whether more is better, the required ratio, unit
        ("rate", "advertisements of a processor second", True, 10, ""),
        ("allocated", "memory that the process allocated", False, 5, " MB"),
        ("proportional", "memory, shared pages divided", False, 5, " MB"),
        ("resident", "memory with all pages of libraries", False, 5, " MB"),
        ("delay.p50", "delay, median", False, None, " ms"),
        ("delay.p99", "delay, 99 %", False, None, " ms"),
    ]
    ratio = {}
    groups = []
    for name, title, is_more, required, unit in pairs:
        ours, theirs = f(f"cloud.{name}"), f(f"cloud.{name}", "Theengs Gateway")
        ratio[name] = ours / theirs if is_more else theirs / ours
        groups.append((title, [("OpenCoreBluetooth", ratio[name], f"{round_text(ratio[name])} times: {report.number(ours)} / {report.number(theirs)}{unit}", required)]))
    missed = [title for name, title, _, required, _ in pairs if required and ratio[name] < required]
    page.say(
        f"**`bluelab gateway cloud` handles {round_text(ratio['rate'])} times as many advertisements in a second of processor time, and allocates {round_text(ratio['allocated'])} times less memory.** 99 % of the messages arrive within {report.number(f('cloud.delay.p99'))} ms; the requirement is 10 ms.",
        *(["Missed: " + "; ".join(missed) + f". The requirement is 5 times less, and the memory with libraries is {round_text(ratio['proportional'])} times less: the code of the tool, the Swift runtime and the library of TLS take most of it."] if missed else []))
    page.plot(
        "cloud", "How many times better bluelab gateway cloud is than Theengs Gateway, logarithmic: " + ", ".join(f"{title} {round_text(ratio[name])}" for name, title, *_ in pairs) + ".",
        plots.bars, "bluelab gateway cloud / Theengs Gateway: longer is better", groups, "times better, logarithmic", logarithmic=True, mark="required ratio", limits=(1, 1000))
    if f("cloud.delay.p99", "Theengs Gateway") > 100:
        page.say("At 1,000 advertisements a second, Theengs Gateway did not keep up on the machine of this run, which explains its delays.")
    page.more(f.measured("cloud."), "cloud")


def studio(f, page):
    page.section("Does the studio stay smooth?")
    parts = [
        ("room, frames", "room,-frames-with-the-server", "frames a second", 60, True),
        ("packet list, frames", "packets,-frames-with-the-server", "frames a second", 60, True),
        ("packets", "packets,-packets-from-the-server", "a second", 10_000, True),
        ("memory", "memory-of-the-server,-crowd", "MB", 60, False),
        ("first paint", "first-paint", "ms", 300, False),
        ("page as sent", "page-as-sent", "kB", 300, False),
    ]
    value = lambda name: f(f"studio.{name}")
    held = all(value(n) >= limit if is_least else value(n) <= limit for _, n, _, limit, is_least in parts)
    page.say(
        f"**{'Yes' if held else 'Not in all parts'}: {report.number(value('room,-frames-with-the-server'))} frames a second with 200 devices and {report.number(round(value('room,-packets-from-the-server'), -3))} packets a second.** The page paints within {report.number(value('first-paint'))} ms on loopback. With the latest 100,000 packets, the server has {report.number(value('memory-of-the-server,-crowd'))} MB.")
    page.plot(
        "studio", "The studio in percent of its requirements: " + "; ".join(f"{title} {report.number(value(n))} of {'at least' if is_least else 'at most'} {limit:,} {unit}" for title, n, unit, limit, is_least in parts) + ".",
        plots.bars, "The studio, in percent of its requirements",
        [(f"{title} ({'at least' if is_least else 'at most'} {limit:,})", [("OpenCoreBluetooth", 100 * value(n) / limit, f"{plots.short(value(n))} {unit}", 100)]) for title, n, unit, limit, is_least in parts],
        "percent of the requirement", mark="requirement", limits=(0, 125))
    page.more(f.measured("studio."), "studio")


def start(f, page):
    page.section("How long does a program take to start, and how large is it?")
    programs = [("help", "bluelab --help"), ("powered-on", "start to .poweredOn")]
    page.say(
        f"**{report.number(f('start.powered-on.wall'))} ms from the start to `.poweredOn`.** The dynamic linker with the Swift runtime and Foundation takes most of it. `bluelab` has {report.number(f('start.size.bluelab'))} MB, and a program that only creates a manager {report.number(f('start.size.first-state'))} MB, stripped, with the Swift runtime as shared libraries.")
    page.plot(
        "start", "Complete processes from start to end: " + ", ".join(f"{title} {report.number(f(f'start.{name}.wall'))} ms" for name, title in programs) + ".",
        plots.bars, "A complete process, from start to end: shorter is better", [(title, [("OpenCoreBluetooth", f(f"start.{name}.wall"), f"{report.number(f(f'start.{name}.wall'))} ms", None)]) for name, title in programs], "milliseconds")
    page.more(f.measured("start."), "start")


def loop(f, page):
    page.section("How long does a developer of this package wait?")
    value = lambda name: f(f"loop.{name}.wall")
    everything = value("build.tool") + value("build.tests")
    parts = [
        ("build from nothing, bluelab", value("build.tool"), 60),
        ("build from nothing, everything", everything, 60),
        ("bluelab after a change", value("change.tool"), 20),
        ("tests after a change", value("change.tests"), 20),
        ("all tests", value("tests"), 60),
        ("all tests, optimized", value("optimized.tests"), 60),
    ]
    missed = [title for title, seconds, limit in parts if seconds > limit]
    page.say(
        f"**{round_text(value('change.tests'))} s after a change in the lowest target, and {round_text(everything)} s from nothing.** {report.number(f('loop.tests.count'))} tests take {round_text(value('tests'))} s, and {round_text(value('optimized.tests'))} s if the busiest targets are optimized.",
        *(["Missed: " + "; ".join(missed) + "."] if missed else []))
    page.plot(
        "loop", "Seconds that a developer waits, logarithmic: " + "; ".join(f"{title} {round_text(seconds)}, target {limit}" for title, seconds, limit in parts) + ".",
        plots.bars, "Elapsed time on two cores: shorter is better", [(title, [("OpenCoreBluetooth", seconds, f"{round_text(seconds)} s", limit)]) for title, seconds, limit in parts],
        "seconds, logarithmic", logarithmic=True, mark="target")
    page.say("What stands in the way of a faster build: the tests, whose expectations are macros, and the C code of swift-crypto.")
    page.more(f.measured("loop."), "loop")


def behind(f, page):
    page.section("Where OpenCoreBluetooth is behind")
    reads = [f(f"host.read.{transport}", "Bumble") / f(f"host.read.{transport}", "CoreBluetooth") for transport in ("unix", "tcp")]
    page.say(
        "- The hosts in C, NimBLE and BTstack, need less processor time for nearly every operation. No run with them on a recorded machine is kept, so there are no figures here.",
        *([f"- Reads over both transports: Bumble takes {span(reads)} times as long as `CoreBluetooth`, and 10 times is the requirement ([processor time](Performance/host.md))."] if min(reads) < 10 else []),
        f"- The slowest thousandth of notifications takes at least {min(f(f'latency.{load}.p99.9', 'p99.9') for load, _ in LOADS) / 1000:.1f} ms on a machine with two busy cores.",
        *([f"- The memory of `bluelab gateway cloud` with the pages of libraries is {round_text(f('cloud.proportional', 'Theengs Gateway') / f('cloud.proportional'))} times less than that of Theengs Gateway, and not 5 times."] if f("cloud.proportional") else []),
        f"- To connect, discover, read and receive a notification takes {f('events.needed')} connection events; {f('events.bound', 'least possible')} are possible. The host looks for a second service with the same UUID, as CoreBluetooth does ([connection events](Performance/events.md)).")


def contents(page):
    page.section("All tables")
    page.say("Each table has its subject, its method and its limiting factor. `Benchmarks/run --report` measures again and writes this page ([how](../Benchmarks/README.md)).", "",
        *(f"- [{heading}](Performance/{word}.md)" for word, heading in report.CHAPTERS if report.load(word)))


def page():
    """Returns the text of the page, and the plots by name."""
    f, page = Figures(), Page()
    for part in (host_time, host_instructions, on_air, crowd, controller, latency, gateway):
        part(f, page)
    # Programs of their own measure these two.
    if f("cloud.rate"):
        cloud(f, page)
    if f("studio.first-paint"):
        studio(f, page)
    for part in (start, loop, behind):
        part(f, page)
    contents(page)
    return "\n".join(page.out).rstrip() + "\n", page.plots

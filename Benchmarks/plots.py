"""Plots as SVG: bars, ranges and lines. The same input gives the same octets."""

import math
from xml.sax.saxutils import escape

# A plot has a light background of its own, so its colours do not depend on the page.
BACKGROUND, FRAME, GRID, TEXT, QUIET, MARK = "#ffffff", "#d0d7de", "#e4e8ec", "#1f2328", "#59636e", "#cf222e"
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
WIDTH = 800

# The colour of a stack or of a share of the values: ours in blue, other stacks in other hues.
COLOURS = {
    "OpenCoreBluetooth": "#0969da",
    "runtime API": "#0a3069",
    "CoreBluetooth": "#4493f8",
    "NimBLE": "#6e7781",
    "BTstack": "#afb8c1",
    "Bumble": "#d4a72c",
    "another stack": "#6e7781",
    "p50": "#0a3069",
    "median": "#0a3069",
    "p99": "#4493f8",
    "99 %": "#4493f8",
    "p99.9": "#b6d4fb",
}


def short(value):
    """Returns a number with at most three significant digits below 1,000."""
    if value >= 1e6:
        return f"{value / 1e6:.2f}".rstrip("0").rstrip(".") + " M"
    if value >= 100:
        return f"{value:,.0f}"
    text = f"{value:.2f}" if value < 10 else f"{value:.1f}"
    return text.rstrip("0").rstrip(".")


def width(text):
    """Returns the room for a text of 12 px, by a wide font."""
    return 7.6 * len(text)


def at(value):
    """Returns a coordinate with at most one decimal."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Drawing:
    """The elements of a plot in the order of their drawing."""

    def __init__(self, description, caption):
        self.description, self.parts, self.height = description, [], 0
        self.text(20, 28, caption, size=14, weight="bold")

    def text(self, x, y, text, anchor="start", size=12, colour=TEXT, weight=None):
        bold = f' font-weight="{weight}"' if weight else ""
        side = f' text-anchor="{anchor}"' if anchor != "start" else ""
        self.parts.append(f'<text x="{at(x)}" y="{at(y)}" font-size="{size}" fill="{colour}"{side}{bold}>{escape(text)}</text>')

    def line(self, x1, y1, x2, y2, colour, thickness=1):
        self.parts.append(f'<line x1="{at(x1)}" y1="{at(y1)}" x2="{at(x2)}" y2="{at(y2)}" stroke="{colour}" stroke-width="{thickness}"/>')

    def bar(self, x, y, length, height, colour):
        self.parts.append(f'<rect x="{at(x)}" y="{at(y)}" width="{at(max(length, 1))}" height="{at(height)}" fill="{colour}"/>')

    def dot(self, x, y, colour, radius=4):
        self.parts.append(f'<circle cx="{at(x)}" cy="{at(y)}" r="{radius}" fill="{colour}"/>')

    def path(self, points, colour):
        text = " ".join(f"{at(x)},{at(y)}" for x, y in points)
        self.parts.append(f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="2"/>')

    def legend(self, names, y, mark=None):
        """Draws the names of the colours, and of the mark, in one row."""
        x = 20
        for name in names:
            self.bar(x, y - 10, 12, 12, COLOURS[name])
            self.text(x + 18, y, name)
            x += 18 + width(name) + 18
        if mark:
            self.line(x + 6, y - 11, x + 6, y + 3, MARK, 2)
            self.text(x + 16, y, mark)

    def svg(self):
        head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{at(self.height)}" viewBox="0 0 {WIDTH} {at(self.height)}" role="img" font-family="{FONT}">'
        frame = f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{at(self.height - 1)}" rx="6" fill="{BACKGROUND}" stroke="{FRAME}"/>'
        return "\n".join([head, f"<title>{escape(self.description)}</title>", frame, *self.parts, "</svg>", ""])


def scale(low, high, start, end, logarithmic):
    """Returns the function from a value to its coordinate."""
    if logarithmic:
        low, high = math.log10(low), math.log10(high)
        return lambda value: start + (end - start) * (math.log10(value) - low) / (high - low)
    return lambda value: start + (end - start) * (value - low) / (high - low)


def ticks(low, high, logarithmic):
    if logarithmic:
        return [10.0**power for power in range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)]
    rough = (high - low) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough * 0.999)
    return [round(step * number, 9) for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def bars(description, caption, groups, unit, logarithmic=False, mark=None, limits=None, has_legend=True):
    """Horizontal bars. A group is a label and its bars: the name of the colour, the value, the text at the end or None, and the mark or None."""
    groups = [(label, [b for b in members if b[1] is not None]) for label, members in groups]
    drawing = Drawing(description, caption)
    names = list(dict.fromkeys(b[0] for _, members in groups for b in members))
    has_legend = has_legend and (len(names) > 1 or mark is not None)
    left = 20 + max(width(label) for label, _ in groups) + 8
    ends = max(width(b[2] or short(b[1])) for _, members in groups for b in members)
    right = WIDTH - 20 - ends - 8
    values = [v for _, members in groups for b in members for v in (b[1], b[3]) if v is not None]
    if limits:
        low, high = limits
    elif logarithmic:
        low = 10.0 ** math.floor(math.log10(min(values)) - 0.3)
        high = max(values) * 1.05
    else:
        low, high = 0, max(values) * 1.02
    place = scale(low, high, left, right, logarithmic)
    if has_legend:
        drawing.legend(names if len(names) > 1 else [], 52, mark)
    top = 68 if has_legend else 42
    thick, gap = 13, 11
    bottom = top + sum(len(members) * (thick + 2) + gap for _, members in groups)
    for tick in ticks(low, high, logarithmic):
        drawing.line(place(tick), top, place(tick), bottom, GRID)
        drawing.text(place(tick), bottom + 16, short(tick) if tick else "0", "middle", 11, QUIET)
    y = top + gap / 2
    for label, members in groups:
        height = len(members) * (thick + 2)
        drawing.text(left - 8, y + height / 2 + 3, label, "end")
        for name, value, text, limit in members:
            drawing.bar(left, y, place(max(value, low)) - left, thick, COLOURS[name])
            end = place(max(value, low))
            if limit is not None:
                drawing.line(place(limit), y - 2, place(limit), y + thick + 2, MARK, 2)
                # The text does not cross its mark.
                if place(limit) > end - 2 and place(limit) < end + 8 + width(text or short(value)):
                    end = place(limit)
            drawing.text(end + 6, y + 11, text or short(value), size=11)
            y += thick + 2
        y += gap
    drawing.line(left, top, left, bottom, QUIET)
    drawing.text((left + right) / 2, bottom + 34, unit, "middle", 11, QUIET)
    drawing.height = bottom + 46
    return drawing.svg()


def ranges(description, caption, rows, unit, low, high, mark):
    """A line from the lowest to the highest value of each row: a label, both values and the mark."""
    drawing = Drawing(description, caption)
    left = 20 + max(width(row[0]) for row in rows) + 8
    right = WIDTH - 40
    place = scale(low, high, left, right, False)
    drawing.line(24, 48, 46, 48, COLOURS["OpenCoreBluetooth"], 3)
    drawing.dot(24, 48, COLOURS["OpenCoreBluetooth"])
    drawing.dot(46, 48, COLOURS["OpenCoreBluetooth"])
    drawing.text(56, 52, "lowest and highest")
    drawing.line(220, 41, 220, 55, MARK, 2)
    drawing.text(230, 52, mark)
    top, step = 68, 24
    bottom = top + step * len(rows)
    for tick in ticks(low, high, False):
        drawing.line(place(tick), top, place(tick), bottom, QUIET if tick == 100 else GRID)
        drawing.text(place(tick), bottom + 16, short(tick), "middle", 11, QUIET)
    for number, (label, least, most, limit) in enumerate(rows):
        y = top + step * number + step / 2
        drawing.text(left - 8, y + 4, label, "end")
        drawing.line(place(limit), y - 8, place(limit), y + 8, MARK, 2)
        drawing.line(place(least), y, place(most), y, COLOURS["OpenCoreBluetooth"], 3)
        drawing.dot(place(least), y, COLOURS["OpenCoreBluetooth"])
        drawing.dot(place(most), y, COLOURS["OpenCoreBluetooth"])
    drawing.text((left + right) / 2, bottom + 34, unit, "middle", 11, QUIET)
    drawing.height = bottom + 46
    return drawing.svg()


def lines(description, caption, points, across, up):
    """A line through points with a logarithmic horizontal axis. The vertical axis starts at 0. Each point has its value."""
    drawing = Drawing(description, caption)
    left, right, top, bottom = 70, WIDTH - 60, 60, 240
    high = max(y for _, y in points) * 1.2
    horizontal = scale(points[0][0], points[-1][0], left + 20, right - 20, True)
    vertical = scale(0, high, bottom, top, False)
    for tick in ticks(0, high, False):
        drawing.line(left, vertical(tick), right, vertical(tick), GRID)
        drawing.text(left - 8, vertical(tick) + 4, short(tick) if tick else "0", "end", 11, QUIET)
    for x, _ in points:
        drawing.text(horizontal(x), bottom + 18, f"{x:,}", "middle", 11, QUIET)
    drawing.line(left, bottom, right, bottom, QUIET)
    colour = COLOURS["OpenCoreBluetooth"]
    drawing.path([(horizontal(x), vertical(y)) for x, y in points], colour)
    for x, y in points:
        drawing.dot(horizontal(x), vertical(y), colour)
        drawing.text(horizontal(x), vertical(y) - 10, short(y), "middle")
    drawing.text(20, 50, up, size=11, colour=QUIET)
    drawing.text((left + right) / 2, bottom + 38, across, "middle", 11, QUIET)
    drawing.height = bottom + 52
    return drawing.svg()

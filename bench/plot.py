"""Lines over time as an SVG file, for documents. Nothing but Python's own library."""

COLOURS = ["#c0392b", "#2980b9", "#27ae60", "#8e44ad", "#e67e22", "#2c3e50", "#7f8c8d", "#16a085"]


def plot(path, title, lines, unit):
    """lines: name -> points (x, y)."""
    width, height, left, bottom = 640, 360, 56, 40
    points = [p for line in lines.values() for p in line]
    if not points:
        return
    x_max = max(p[0] for p in points) or 1
    y_min, y_max = min(p[1] for p in points), max(p[1] for p in points)
    y_max = y_max if y_max > y_min else y_min + 1

    def place(p):
        return (left + (width - left - 130) * p[0] / x_max,
                height - bottom - (height - bottom - 30) * (p[1] - y_min) / (y_max - y_min))

    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">'
           % (width, height), '<rect width="100%" height="100%" fill="white"/>',
           '<text x="%d" y="16" font-size="13">%s</text>' % (left, title)]
    for i in range(5):
        y = y_min + (y_max - y_min) * i / 4
        _, at = place((0, y))
        out.append('<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/>' % (left, at, width - 130, at))
        out.append('<text x="%d" y="%.1f" text-anchor="end">%.0f</text>' % (left - 6, at + 4, y))
        at, _ = place((x_max * i / 4, y_min))
        out.append('<text x="%.1f" y="%d" text-anchor="middle">%.0f</text>' % (at, height - bottom + 16, x_max * i / 4))
    out.append('<text x="%d" y="%d">%s</text>' % ((width - 130) / 2, height - 8, unit))
    for i, (name, line) in enumerate(lines.items()):
        colour = COLOURS[i % len(COLOURS)]
        where = " ".join("%.1f,%.1f" % place(p) for p in line)
        out.append('<polyline fill="none" stroke="%s" stroke-width="1.6" points="%s"/>' % (colour, where))
        out.append('<text x="%d" y="%d" fill="%s">%s</text>' % (width - 122, 40 + 16 * i, colour, name))
    with open(path, "w") as f:
        f.write("\n".join(out + ["</svg>"]) + "\n")

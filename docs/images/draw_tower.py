#!/usr/bin/env python3
"""Draws docs/images/tower.svg from a recording: the boxes of a tower, drawn apart, and the contact forces between them.

  stiction run scenes/tower.toml --record tower.h5
  python3 docs/images/draw_tower.py scenes/tower.toml tower.h5 docs/images/tower.svg

Every arrow is one contact of the last step: it stands at the contact point and its length is the force on the upper body;
a ring is a contact that carries nothing.
Needs python3-h5py.
"""
import sys
import tomllib

import h5py
import numpy as np

SCALE = 330  # px per metre
APART = 0.08  # m of air drawn between bodies that touch
NEWTON = 0.0024  # m of arrow per newton
DEPTH = np.array([0.42, 0.26])  # where one metre along y goes, in metres of the picture
COLORS = {"front": "#d9e6f2", "side": "#b5cbe0", "top": "#eef4fa"}


def project(point, lift):
    """Oblique view along y: picture coordinates in px, y down."""
    x, z = point[0] + DEPTH[0] * point[1], point[2] + DEPTH[1] * point[1] + lift
    return SCALE * x, -SCALE * z


def polygon(points, fill):
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polygon points="{text}" fill="{fill}" stroke="#35506b" stroke-width="1" stroke-linejoin="round"/>'


def box(center, size, lift):
    corner = lambda sx, sy, sz: project(center + 0.5 * np.array([sx, sy, sz]) * size, lift)
    faces = {"front": [(-1, -1, -1), (1, -1, -1), (1, -1, 1), (-1, -1, 1)],
             "side": [(1, -1, -1), (1, 1, -1), (1, 1, 1), (1, -1, 1)],
             "top": [(-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]}
    return [polygon([corner(*c) for c in corners], COLORS[name]) for name, corners in faces.items()]


def arrow(point, force, lift):
    x0, y0 = project(point, lift)
    if np.linalg.norm(force) < 1e-6:  # a contact that carries nothing
        return f'<circle cx="{x0:.1f}" cy="{y0:.1f}" r="2.5" fill="white" stroke="#c2410c"/>'
    x1, y1 = project(point + NEWTON * force, lift)
    return (f'<circle cx="{x0:.1f}" cy="{y0:.1f}" r="2" fill="#c2410c"/>'
            f'<line x1="{x0:.1f}" y1="{y0:.1f}" x2="{x1:.1f}" y2="{y1:.1f}" stroke="#c2410c" stroke-width="2" '
            'marker-end="url(#head)"/>')


def ground(lift):
    edge = 0.16
    corners = [(-edge, -edge, 0), (edge, -edge, 0), (edge, edge, 0), (-edge, edge, 0)]
    return polygon([project(np.array(c), lift) for c in corners], "#ececec")


def main():
    scene_path, recording_path, out_path = sys.argv[1:]
    with open(scene_path, "rb") as file:
        sizes = {b["name"]: b["shape"].get("size") for b in tomllib.load(file)["body"]}
    with h5py.File(recording_path) as f:
        names = list(f["names/bodies"].asstr()[:])
        position = f["bodies/position"][-1]
        time = f["time"][-1]
        last = slice(*f["contacts/offset"][-2:])
        pairs, points, forces = (f[f"contacts/{k}"][last] for k in ("bodies", "point", "force"))
    order = sorted((i for i, n in enumerate(names) if sizes[n]), key=lambda i: position[i, 2])
    lift = {i: APART * (k + 1) for k, i in enumerate(order)}
    shapes, labels = [ground(0)], []
    for i in order:
        above = [c for c in range(len(pairs)) if i in pairs[c] and points[c, 2] < position[i, 2]]
        signed = [forces[c] if pairs[c, 1] == i else -forces[c] for c in above]  # on this body
        below = lift[i] - APART  # arrows stand on what carries the body
        shapes += [arrow(points[c], force, below) for c, force in sorted(zip(above, signed), key=lambda a: -points[a[0], 1])]
        shapes += box(position[i], np.array(sizes[names[i]]), lift[i])
        x, y = project(np.array([0.115, 0, position[i, 2] - 0.05]), lift[i] - 0.4 * APART)
        labels.append(f'<text x="{x:.1f}" y="{y:.1f}">{sum(signed)[2]:.2f} N</text>')
    top = -project(position[order[-1]] + [0, 0.05, 0.05], lift[order[-1]])[1] + 44
    left, bottom, width = -85, 26, 200
    with open(out_path, "w", encoding="utf-8") as out:
        out.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {-top:.0f} {width} {top + bottom:.0f}" '
            f'width="{width}" height="{top + bottom:.0f}" font-family="sans-serif" font-size="12" fill="#222">\n'
            '<title>Contact forces in a tower of ten boxes</title>\n'
            '<defs><marker id="head" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="4.5" markerHeight="4.5" orient="auto">'
            '<path d="M0 0L8 4L0 8z" fill="#c2410c"/></marker></defs>\n'
            f'<rect x="{left}" y="{-top:.0f}" width="{width}" height="{top + bottom:.0f}" fill="white"/>\n'
            + "\n".join(shapes + labels)
            + f'\n<text x="{left + 12}" y="{-top + 22:.0f}">t = {time:g} s; at right, sums</text>\n</svg>\n')


if __name__ == "__main__":
    main()

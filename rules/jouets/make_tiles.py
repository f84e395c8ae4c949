#!/usr/bin/env python3
"""Writes data/tiles.json and data/registers.json: our default tiles. Same bytes every time.

64 toy tiles of three zones, one toy each: each of the four ways to leave a type out comes 16 times,
so every type has 48 zones, and its five toys 10, 10, 10, 9 and 9 of them. Zones are arcs of the
tile's rim (3, 3 and 2 of its eight half-sides), each in another turn and order.
"""
import json
import pathlib
import random

TOYS = {
    "plush": ["bear", "unicorn", "cat", "rabbit", "dog"],
    "dolls": ["princess", "nurse", "ballerina", "robot", "mermaid"],
    "vehicles": ["train", "car", "crane", "fire_truck", "rocket"],
    "sports": ["ball", "roller_skates", "rackets", "tricycle", "flamingo"],
}
RIM = [("n", 0), ("n", 1), ("e", 0), ("e", 1), ("s", 1), ("s", 0), ("w", 1), ("w", 0)]  # clockwise


def sides(start, arcs):
    half_sides = {side: [0, 0] for side in "nesw"}
    place = start
    for zone, arc in enumerate(arcs):
        for _ in range(arc):
            side, half = RIM[place % 8]
            half_sides[side][half] = zone
            place += 1
    return half_sides


def tiles():
    dice = random.Random(64)
    bags = {}
    for kind, toys in TOYS.items():
        bag = [toy for i, toy in enumerate(toys) for _ in range(10 if i < 3 else 9)]
        dice.shuffle(bag)
        bags[kind] = bag
    made = []
    for i in range(64):
        kinds = [kind for k, kind in enumerate(TOYS) if k != i % 4]
        dice.shuffle(kinds)
        arcs = [[3, 3, 2], [3, 2, 3], [2, 3, 3]][dice.randrange(3)]
        zones = [{"type": kind, "toys": [bags[kind].pop()]} for kind in kinds]
        made.append({"zones": zones, "sides": sides(dice.randrange(8), arcs)})
    assert not any(bags.values())
    assert len({json.dumps(tile) for tile in made}) == 64
    return [{"id": f"J{i + 1:02}", **tile} for i, tile in enumerate(made)]


def registers():
    kinds = list(TOYS)
    orders = [[0, 1, 2, 3], [1, 3, 0, 2], [2, 0, 3, 1], [3, 2, 1, 0]]
    quarters = {"n": [0, 1], "e": [1, 2], "s": [3, 2], "w": [0, 3]}
    return [{"id": f"R{i + 1}", "zones": [{"type": kinds[k], "toys": []} for k in order], "sides": quarters}
            for i, order in enumerate(orders)]


def write(name, rows):
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    pathlib.Path(__file__).with_name("data").joinpath(name).write_text(f"[\n{lines}\n]\n")


write("tiles.json", tiles())
write("registers.json", registers())

"""The rooms and how they are connected."""

from dataclasses import dataclass, field

OPPOSITE = {"north": "south", "south": "north", "up": "down", "down": "up"}


@dataclass
class Room:
    text: str
    things: list = field(default_factory=list)
    exits: dict = field(default_factory=dict)


def connect(rooms, here, direction, there):
    """Makes a way between two rooms, in both directions."""
    rooms[here].exits[direction] = there
    rooms[there].exits[OPPOSITE[direction]] = here


def hall(rooms):
    rooms["hall"] = Room("A cold hall. A lantern hangs by the door.", ["lantern"])


def kitchen(rooms):
    rooms["kitchen"] = Room("A kitchen. The stove is still warm.", ["bread"])
    connect(rooms, "hall", "north", "kitchen")


BUILDERS = [hall, kitchen]


def build():
    """Makes the house anew, so that every game starts in the same one."""
    rooms = {}
    for builder in BUILDERS:
        builder(rooms)
    return rooms

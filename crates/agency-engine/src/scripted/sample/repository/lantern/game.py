"""Where you are, what you carry, what a command does."""

from lantern.rooms import build

COMMANDS = {}


def command(name):
    """Registers a function as what a word does."""

    def register(function):
        COMMANDS[name] = function
        return function

    return register


class Game:
    def __init__(self):
        self.rooms = build()
        self.here = "hall"
        self.carried = []
        self.over = False

    @property
    def room(self):
        return self.rooms[self.here]

    def do(self, line):
        word, _, rest = line.strip().partition(" ")
        if word not in COMMANDS:
            return "You cannot do that."
        return COMMANDS[word](self, rest)


@command("look")
def look(game, _):
    ways = ", ".join(sorted(game.room.exits))
    return f"{game.room.text} Ways out: {ways}."


@command("go")
def go(game, direction):
    if direction not in game.room.exits:
        return "There is no way."
    game.here = game.room.exits[direction]
    return game.do("look")


@command("take")
def take(game, thing):
    if thing not in game.room.things:
        return "It is not here."
    game.room.things.remove(thing)
    game.carried.append(thing)
    return f"You take the {thing}."


@command("quit")
def leave(game, _):
    game.over = True
    return "The door closes behind you."

"""Plays Lantern on a terminal."""

from lantern.game import Game


def main():
    game = Game()
    print(game.do("look"))
    while not game.over:
        try:
            print(game.do(input("> ")))
        except EOFError:
            break


if __name__ == "__main__":
    main()

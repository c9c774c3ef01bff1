import unittest

from lantern.game import Game


class GameTest(unittest.TestCase):
    def test_the_kitchen_is_north_of_the_hall(self):
        game = Game()
        self.assertIn("kitchen", game.do("go north"))
        self.assertIn("hall", game.do("go south"))

    def test_a_thing_is_taken_once(self):
        game = Game()
        self.assertEqual(game.do("take lantern"), "You take the lantern.")
        self.assertEqual(game.do("take lantern"), "It is not here.")


if __name__ == "__main__":
    unittest.main()

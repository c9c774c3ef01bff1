"""A small text adventure."""

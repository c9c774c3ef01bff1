# Every recipe is a script, so that `just` stays optional.

# What CI runs: format, lints, tests, documentation, dependencies.
check *arguments:
    scripts/test -- {{ arguments }}

# The agents that the tests run, at their pinned versions.
agents:
    scripts/agents

# The rules of the source tree that no compiler checks.
lint:
    scripts/lint

# Sizes, cycles and traits of the source, with their limits.
figures:
    scripts/figures

# The pictures of the documentation, made from what the program prints.
screenshots:
    scripts/screenshots

# What agency costs over the least that could do the same.
bench *arguments:
    scripts/bench {{ arguments }}

"""What a store says, wherever it is."""

from cloze.errors import UserError


def missing(where: object) -> UserError:
    return UserError("is missing", where=where, fix="run the same command again")


def removed(where: object) -> UserError:
    """For a worker that was given up and whose work others have done, too."""
    return UserError("this work was finished or removed meanwhile", where=where)


def claimed(what: str) -> UserError:
    return UserError(f"another run is at work on {what}", fix="wait for it")


def different_bytes(where: object) -> UserError:
    return UserError(
        "two runs made different bytes of the same input",
        where=where,
        fix="install the same versions everywhere, remove what is there and begin again",
    )

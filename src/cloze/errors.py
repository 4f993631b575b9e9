"""The one error a user sees: what is wrong, where, and how to fix it."""


class UserError(Exception):
    """A mistake in what the user gave us, explained in one line.

    >>> str(UserError("the folder is empty", where="articles/", fix="put .story files into it"))
    'articles/: the folder is empty; put .story files into it'
    """

    def __init__(self, what: str, *, where: object = None, fix: str | None = None) -> None:
        self.what = what
        self.where = None if where is None else str(where)
        self.fix = fix
        told = what if self.where is None else f"{self.where}: {what}"
        told = told if fix is None else f"{told}; {fix}"
        # What was read may hold line ends, and so may what a library says about it.
        super().__init__(" ".join(line.strip() for line in told.splitlines() if line.strip()))

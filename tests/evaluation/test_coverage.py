from cloze.baselines.frames import BACK_OFF
from cloze.evaluation.coverage import coverage, table


def test_each_rule_is_counted_and_those_that_never_answered_stand_in_the_table_too():
    rows = coverage(
        [("exact match", True), ("exact match", False), (BACK_OFF, True), (BACK_OFF, True)]
    )
    assert rows[0] == ("exact match", 2, 0.5, 1, 0.5)
    assert rows[1][1:] == (0, 0.0, 0, 0.0)
    assert rows[-1][1:] == (2, 0.5, 2, 1.0)
    assert "| exact match | 2 | 50.0% | 1 | 50.0% |" in table(rows)


def test_no_question_at_all():
    assert all(row.answered == 0 for row in coverage([]))

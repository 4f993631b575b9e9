from cloze.baselines.controls import FirstMention, QuestionOnly, chance
from cloze.baselines.frequency import ExclusiveFrequency, MaximumFrequency
from tests.conftest import document_of, question_of

DOCUMENT = document_of(
    "@entity3 met @entity1 and @entity2 ; @entity1 left @entity2 , then @entity4"
)


def test_the_most_frequent_entity_answers_and_a_tie_goes_to_the_one_mentioned_first():
    ranking = MaximumFrequency().rank(DOCUMENT, [question_of("@placeholder left", 1, DOCUMENT)])[0]
    assert ranking.candidates.tolist() == [1, 2, 3, 4]
    assert ranking.scores.tolist() == [2, 2, 1, 1]


def test_an_entity_of_the_question_comes_below_all_others_under_exclusive_frequency():
    question = question_of("@placeholder met @entity1 and @entity3", 2, DOCUMENT)
    ranking = ExclusiveFrequency().rank(DOCUMENT, [question])[0]
    assert ranking.candidates.tolist() == [2, 4, 1, 3]
    assert ranking.scores[1] > ranking.scores[2]


def test_when_the_question_names_every_entity_the_most_frequent_one_is_still_given():
    question = question_of("@entity4 @entity3 @entity2 @entity1 @placeholder", 2, DOCUMENT)
    assert ExclusiveFrequency().rank(DOCUMENT, [question])[0].answer == 1


def test_first_mention_and_question_only():
    question = question_of("@placeholder met @entity1", 2, DOCUMENT)
    assert FirstMention().rank(DOCUMENT, [question])[0].candidates.tolist() == [3, 1, 2, 4]
    assert QuestionOnly().rank(DOCUMENT, [question])[0].candidates.tolist() == [2, 3, 4, 1]


def test_chance_counts_the_entities_that_the_question_leaves_open():
    assert chance(DOCUMENT, question_of("@placeholder met @entity1", 2, DOCUMENT)) == 1 / 3
    assert chance(DOCUMENT, question_of("@placeholder met @entity2", 2, DOCUMENT)) == 0

"""What names are put together from. None of it is the name of anyone or any place in the news."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _join(heads: str, tails: str) -> tuple[str, ...]:
    return tuple(head + tail for head in heads.split() for tail in tails.split())


WOMEN = _words(
    """Ada Agnes Alma Amira Anika Astrid Beata Bettina Camila Carla Celia Chiara Clara Dalia
    Delphine Dorothea Edith Elena Elin Esther Farah Fiona Freya Gemma Greta Hannah Helena Ida Ines
    Ingrid Irene Joanna Judith Karin Katya Lena Leila Linnea Lucia Magda Maren Marta Mina Miriam
    Nadia Naomi Nina Nora Odile Olga Paula Petra Priya Rosa Ruth Sabine Selma Sonia Sylvia Tamara
    Tessa Thea Ursula Vera Viola Wanda Yasmin Yvonne Zelda Zora"""
)
MEN = _words(
    """Abel Adrian Albin Anders Anton Arjun Arthur Basil Bruno Casper Cedric Conrad Cyril Dario
    Desmond Edgar Edwin Emil Enzo Erik Felix Ferdinand Fabian Gideon Gilbert Goran Gustav Hakim
    Harold Henrik Hugo Ibrahim Igor Ivan Jasper Joel Jonas Julian Kamal Karl Kenji Lars Leon Lionel
    Lorenz Magnus Marcel Mateo Milan Nabil Nils Oscar Otto Pascal Pavel Piers Rafael Ralph Reuben
    Roland Rupert Samir Stefan Tariq Theo Tobias Ulrich Victor Walter Yusuf"""
)
SURNAMES = _join(
    """Ald Bram Cald Dun Eld Fenn Garr Hals Iver Jarr Kell Lind Marl Norr Oster Pell Quarr Rost
    Selk Thorn Ulv Vand Wex Yarr Zell Brack Corv Drum Farn Grell Hask Krav Lorr Mold Stav Tarn""",
    "en er ford wick strom by mann ski ovic ano etti ard ley dahl quist ott ham ow ias andi",
)
CITIES = _join(
    """Ald Ash Bar Bell Bram Brook Cald Car Cross Dun East Elm Fair Fen Glen Gold Grey Hal Hazel
    High Kars Kings Lang Lin Long Mar Mill North Oak Old Raven Red Rock Rose Salt Sand Silver South
    Stone Sunder Thorn West White Wil Wood""",
    "bourne bridge burg bury chester dale field ford gate haven holm hurst mere minster mouth port "
    "sted ton vale ville wick",
)
COUNTRY_STEMS = _join(
    """Veld Zar Quel Thal Brav Norv Oss Pell Drav Kest Marr Sorv Tesk Ulm Vant Yorr Hesk Gald
    Fenn Calv Ilv Jast Rusk Brel Torr""",
    "or on av en es ar",
)
COUNTRY_ENDINGS = (("ia", "ian"), ("a", "an"), ("istan", "i"))  # country, nationality
BRANDS = _join(
    "Or Zel Kes Tal Vi Lu Qua Ner Bri Sol Arc Hel Mon Pax Tre Val Cor Fen Dex Aur",
    "vane tek tris lis dara mex nova trel bix cora dyne gen lux mar nix pera rion sys tona vex",
)
EMBLEMS = _words(
    """Anchor Badger Beacon Bison Castle Cedar Comet Compass Condor Crown Cypress Eagle Ember
    Falcon Fox Harbour Heron Juniper Kestrel Lantern Laurel Lion Lynx Magnolia Maple Meteor Orchid
    Osprey Otter Panther Pelican Phoenix Pioneer Raven Sparrow Summit Swan Tiger Willow Wolf"""
)
NICKNAMES = _words(
    """Admirals Archers Bears Bulldogs Cavaliers Chargers Cobras Cyclones Dolphins Dragons Falcons
    Foxes Giants Harriers Hornets Hurricanes Knights Lions Mariners Miners Pirates Rangers Rovers
    Sailors Stags Stallions Tigers Vikings Wanderers Wolves"""
)
ADJECTIVES = _words(
    """Amber Bitter Borrowed Broken Burning Crimson Crooked Distant Empty Endless Fallen Forgotten
    Frozen Gentle Golden Hidden Hollow Hungry Last Lonely Lost Midnight Paper Pale Quiet Restless
    Scarlet Second Silent Sleeping Velvet Wandering Wild Winter"""
)
NOUNS = _words(
    """Bell Bride Candle Carousel Clock Daughter Door Dream Feather Garden Ghost Island
    Journey Kingdom Ladder Letter Lighthouse Mirror Moon Ocean Orchard Painter River Road Sister
    Snow Soldier Song Stranger Summer Tide Tower Train Umbrella Valley Violin Voyage
    Window"""
)

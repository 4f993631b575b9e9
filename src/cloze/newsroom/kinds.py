"""Kinds of entities: the label of each, and the patterns its names follow.

A sign in a pattern stands for something drawn from ``name_parts``:

    ~ city   ^ nationality   @ surname   % brand   & emblem   = nickname
    ! a woman's first name   $ adjective   * noun   # number

Behind the bar is the short form of later mentions; ``abbr`` is made of the initials:

    "the ~ Transit Authority|the abbr"   the Karsford Transit Authority (KTA), then the KTA
    "~ =|the ="                          Karsford Harriers, then the Harriers
"""

PATTERNS: dict[str, tuple[str, str]] = {
    # organisations
    "company": (
        "ORG",
        "% Group|%; % Holdings|%; % Industries|%; & Brothers; @ International|@; "
        "% Corporation|%; % Enterprises|%",
    ),
    "airline": ("ORG", "% Airlines|%; % Air; % Airways|%"),
    "drugmaker": ("ORG", "% Pharma|%; % Laboratories|%; % Therapeutics|%"),
    "publisher": ("ORG", "& Press; @ Books; & House"),
    "studio": ("ORG", "& Pictures; % Films|%; & Studios"),
    "store": ("ORG", "@ Jewellers; the Bank of %; @ Savings Bank; @ Auctions"),
    "regulator": (
        "ORG",
        "the ^ Competition Authority|the abbr; the ^ Trading Commission|the abbr; "
        "the ^ Consumer Board|the abbr; the ^ Standards Office|the abbr",
    ),
    "health": (
        "ORG",
        "the ^ Health Agency|the abbr; the ^ Disease Institute|the abbr; "
        "the ~ Health Board|the abbr",
    ),
    "transit": (
        "ORG",
        "the ~ Transit Authority|the abbr; the ~ Roads Board|the abbr; "
        "the ~ Transport Council|the abbr",
    ),
    "space": ("ORG", "the ^ Space Agency|the abbr; the ^ Rocket Institute|the abbr"),
    "aid": ("ORG", "% Relief; the @ Foundation; the ^ Relief Mission|the abbr"),
    "sports_body": (
        "ORG",
        "the ^ Athletics Union|the abbr; the ^ Sports Council|the abbr; "
        "the World Running Board|the abbr",
    ),
    "union": (
        "ORG",
        "the ^ Workers Alliance|the abbr; the ^ Drivers Union|the abbr; "
        "the ~ Labour League|the abbr",
    ),
    "party": (
        "ORG",
        "the & Party; the ^ Reform Party|the abbr; the ^ People's Alliance|the abbr; "
        "the ^ Civic Union|the abbr",
    ),
    "team": ("ORG", "~ =|the =; ~ =|the =; ~ Athletic; ~ United"),
    "university": ("ORG", "the University of ~; ~ University; @ College"),
    "institute": ("ORG", "the @ Institute; the % Institute; the @ Centre"),
    "band": ("ORG", "the $ *s; $ *"),
    "newspaper": (
        "ORG",
        "the ~ Courier|the Courier; the ~ Gazette|the Gazette; the ~ Herald|the Herald; "
        "the ~ Observer|the Observer; the Daily &",
    ),
    "hospital": ("ORG", "~ General Hospital; @ Memorial Hospital; the @ Clinic"),
    "gallery": ("ORG", "the @ Gallery; the @ Museum; the & Museum"),
    # places
    "city": ("GPE", "~"),
    "river": ("LOC", "the % River; the @ River"),
    "wild": ("LOC", "Mount %; the % Valley; Lake %; the % Forest; the % Desert"),
    "coast": ("LOC", "the % Coast; % Bay; % Island; the % Peninsula"),
    # buildings
    "stadium": ("FAC", "@ Stadium; @ Park; the & Arena; the % Dome"),
    "bridge": ("FAC", "the @ Bridge; the & Bridge; the @ Tunnel"),
    "prison": ("FAC", "@ Prison; % Prison; @ Jail"),
    "hotel": ("FAC", "the & Hotel; the Grand @ Hotel; the @ Inn"),
    "hall": ("FAC", "@ Hall; the & Theatre; @ Square; the @ Theatre"),
    "building": ("FAC", "@ Tower; @ House; the & Centre; the & Market"),
    "airport": ("FAC", "@ Airport; ~ International Airport"),
    # the rest that carries a name
    "festival": ("EVENT", "the ~ Festival; the & Gala; the ~ Arts Fair; the @ Prize"),
    "tournament": ("EVENT", "the ~ Open; the & Cup; the & Masters; the @ Trophy"),
    "storm": ("EVENT", "Hurricane !|!; Storm !|!; Cyclone !|!"),
    "work": ("WORK_OF_ART", "The $ *; *s of the $ *; Our $ *; The *'s *; The * and the *"),
    "gadget": ("PRODUCT", "% #; & #; % Mini"),
    "drug": ("PRODUCT", "%in; %ol; %ide"),
    "ship": ("PRODUCT", "$ &; & Queen; Lady !"),
    "spacecraft": ("PRODUCT", "& #; % #"),
}

PLURAL = frozenset({"team", "band"})
"""They, not it; the sentences of the desks agree with that."""

"""Profiles: a sentence or two about one who is already in the story."""

TEXT = """
# person
x = person
place = city
school = university
friend = new person, *
spouse = new person, *
firm = company
values: years, habit, other_habit = habit
- {x.or_he} was born in {place} and studied at {school}.
- {x}, who grew up in {place}, was a student at {school}.
> {x} comes from {place}
> {x} was educated at {school}

- "{x} never gives up," said {friend}, who has known {x.him} since school.
- {friend}, an old friend, described {x} as a {x.man} who {habit}.
> {friend} has kind words for {x}
> {x} is described by {friend}

- {x.or_he} is married to {spouse}, whom {x.he} met at a dance in {place}.
- {x} and {spouse.plain}, a {spouse.job}, have been married for {years}.
> {spouse} is married to {x}
> {x} shares {x.his} life with {spouse}

- As a young {x.man}, {x} worked for {firm}.
- {x.or_he} spent {years} at {firm} before making a name.
> {x} was once employed by {firm}

- {x.or_he} {other_habit} and is said to be shy.
- Neighbours in {place} said they hardly knew {x}, who {other_habit}.
- {x.or_he} has lived in {place} for {years} and rarely gives interviews.

# organisation
x = company
place = city
founder = new person, *
values: years, staff = count
- {x} was founded by {founder} in {place} {years} ago.
- {founder}, who founded {x}, still lives above the first office in {place}.
> {founder} is the founder of {x}
> {x} was started by {founder}

- {x} has {staff} employees, most of them in {place}.
- More than {staff} people in {place} work for {x}.
> {x} employs {staff} people

- "{x} has changed beyond recognition," said {founder}, who worked there for {years}.
- Little is known about the finances of {x}.
- A statement from {x} gave no further details.

# group
x = team
place = city
fan = new person, *
values: years
- {fan}, who wrote a book about {x}, called it a dark day.
- "{x} are my life," said {fan}, who has followed them for {years}.
> {fan} is a faithful follower of {x}

- {x} were formed {years} ago by students in {place}.
- Few people outside {place} had heard of {x} until last year.
- The early years of {x} in {place} were marked by debt.

# city
x = city
river = river
local = new person, *
values: people = count
- {x}, where {people} new flats were built last year, lies on {river}.
- {x}, on the banks of {river}, is better known for its cheese.
> {x} is a town on {river}

- "Nothing ever happens in {x}," said {local}, who has a shop there.
- Schools in {x} were closed for the day, according to {local}.

# country
x = country
other = new country
expert = new person, analyst
values: goods, years
- {x} has quarrelled with {other} over fishing for {years}.
- Relations between {x} and {other} have been poor for {years}.
> {x} and {other} are on bad terms

- "Nobody in {x} is surprised," said {expert}.
- The economy of {x} depends on {goods}.
"""

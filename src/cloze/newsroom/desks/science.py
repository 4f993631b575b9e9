"""The science and health desk: trials, outbreaks, finds, launches, quarrels over papers."""

TEXT = """
# trial
drug = new drug
maker = drugmaker
school = university
scientist = person at school, Professor
critic = new person, Dr
values: illness, cured = percent, patients = count, day = weekday
- {drug} helped {cured} of patients with {illness}, researchers at {school} reported on {day}.
- A study led by {scientist} found that {drug} eases {illness} in {cured} of cases.
- {maker} said on {day} that {drug}, its pill against {illness}, had passed a test with {patients}
    patients.
- In tests at {school}, {patients} people with {illness} were given {drug}, made by {maker}.
> {drug} shows promise against {illness}
> {scientist} reports success with {drug}
> Researchers at {school} back {drug}
> {maker} has hopes for {illness} treatment
> {illness} patients benefit from {drug}, {school} finds

- {critic}, who was not involved, warned that {drug} can cause dizziness.
- "{drug} makes some people dizzy," cautioned {critic}.
> {critic} points to side effects of {drug}
> Doubts about {drug} are raised by {critic}

- Shares in {maker} rose after {scientist} had presented the figures for {drug}.

# outbreak
place = city
agency = health
hospital = hospital of place
doctor = person at hospital, Dr
source = hotel
values: outbreak, sick = count, day = weekday
- At least {sick} people in {place} have fallen ill with {outbreak}, {agency} said.
- {hospital} in {place} is treating {sick} people for {outbreak}.
- {agency} warned on {day} of an outbreak of {outbreak} in {place}.
- Doctors in {place} traced an outbreak of {outbreak} to {source}.
> {place} battles {outbreak}
> {agency} issues an alert for {place}
> {outbreak} fills beds at {hospital}
> Source of {outbreak} is found at {source}

- {doctor} asked people in {place} to stay away from {hospital}.
- "Please do not visit," said {doctor}, who works at {hospital} in {place}.
> {doctor} tells people to avoid {hospital}

- {source} in {place} has been closed by {agency} until further notice.
- Inspectors from {agency} shut {source} in {place} on {day}.
> {agency} closes {source}

# fossil
finder = new person, *
school = university
scientist = person at school, Professor
wild = wild
museum = gallery
people = nationality
values: fossil, day = weekday
- The bones of {fossil} have been dug up in {wild} by {finder}.
- {finder} stumbled over the remains of {fossil} while walking in {wild}.
- {scientist} of {school} said bones found in {wild} were those of {fossil}.
- Scientists from {school} are studying the skeleton of {fossil}, discovered by {finder} on {day}.
> {finder} makes the find of a lifetime
> {wild} yields a prehistoric {fossil}
> {scientist} identifies the skeleton of a {fossil}
> Skeleton found by {finder} is examined at {school}

- The bones from {wild} will be shown at {museum} next year.
- {museum} has offered to display the skeleton found by {finder}.
> {museum} will exhibit the {fossil}
> Discovery by {finder} goes on show at {museum}

- "I shouted so loud that the birds of {wild} flew up," said {finder}.
- {scientist} called the bones from {wild} the most important {people} find in decades.

# transplant
donor = new person, *
patient = new person, *
hospital = hospital
surgeon = person at hospital, Dr
place = city
values: organ, age, hours = few, day = weekday
- {donor} gave {organ} to {patient}, a complete stranger, at {hospital} on {day}.
- {patient}, {age}, is recovering at {hospital} after receiving {organ} from {donor}.
- {surgeon} led an operation of {hours} hours in which {patient} was given {organ} from {donor}.
- {donor} read about {patient} in a newspaper and offered {patient.him} {organ}.
> {donor} saves {patient}
> {patient} is alive thanks to {donor}
> Transplant of {organ} from {donor} helps {patient}
> {surgeon} operates on {patient}

- {surgeon} of {hospital} expects {patient} to go home soon.
- "{patient} is already walking," said {surgeon}.
> Good recovery of {patient} pleases {surgeon}

- {donor.or_he} lives in {place} and had never met {patient}.
- {donor} and {patient} met for the first time in a corridor of {hospital}.

# launch
craft = new spacecraft
agency = space
chief = person at agency, flight director
coast = coast
partner = company
values: mission, cost = money, years, day = weekday
- {agency} launched {craft} from {coast} on {day} to {mission}.
- {craft} took off from {coast} on {day}; it will {mission} for {agency}.
- A rocket carrying {craft}, built by {partner} to {mission}, rose into a clear sky over {coast}.
- {partner} built {craft} for {agency} at a cost of {cost} to {mission}.
> {craft} is on its way into space
> {agency} sends up {craft}
> {coast} is the starting point of {craft}
> Probe made by {partner} starts work on {mission}
> {agency} spends {cost} on {craft}

- {chief} said the first signals from {craft} were perfect.
- "We can hear {craft} loud and clear," said {chief} of {agency}.
> {chief} is satisfied with {craft}
> Signals reach {chief}

- Engineers at {partner} had worked on {craft} for {years}.

# retraction
author = new person, Professor
school = university
doubter = new person, Dr
journal = newspaper
lab = institute
values: finding, years, day = weekday
- {author} has withdrawn a paper which claimed that {finding}.
- {school} is looking into a study by {author} which said that {finding}.
- {doubter} of {lab} could not repeat an experiment in which {author} showed that {finding}.
- {author} of {school} admitted on {day} that figures in a famous paper were wrong; {doubter} had
    checked them.
> {author} takes back a study on {finding}
> {school} examines work of {author}
> Errors of {author} are exposed by {doubter}
> {doubter} casts doubt on {author}

- {doubter.or_he} spent {years} going through the numbers of {author}.
- For {years}, {doubter} collected evidence against {author}.
> Research by {author} was checked by {doubter} for {years}

- {journal} was the first to publish the doubts of {doubter} about {author}.
- It was {journal} that first wrote about the quarrel between {doubter} and {author}.
> {journal} brought the doubts of {doubter} to light

- "I was too eager," {author} told {journal}.
> {author} confesses to eagerness in {journal}

# donation
giver = new person, *
lab = institute
head = person at lab, director
place = city
aunt = new person
values: study, sum = money, day = weekday
- {giver} has given {sum} to {lab} for research into {study}.
- {lab} received {sum} from {giver} on {day} to study {study}.
- A gift of {sum} from {giver} will allow {lab} in {place} to build a laboratory for {study}.
- {head} of {lab} thanked {giver} for {sum} towards work on {study}.
> {giver} is generous to {lab}
> {lab} benefits from the fortune of {giver}
> Research on {study} is funded by {giver}
> {head} accepts {sum} from {giver}

- {giver} made the gift in memory of {aunt}, a relative.
- The laboratory will bear the name of {aunt}, who raised {giver}.
> {aunt} is remembered by {giver}
> {giver} honours {aunt} with the gift

- "We could hardly believe it," said {head}, who runs {lab}.
"""

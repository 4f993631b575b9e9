"""The courts desk: arrests, trials, escapes and people found."""

TEXT = """
# arrest
suspect = new person, *
place = city
officer = person at place, detective
spot = new hotel
witness = new person
values: crime, age, day = weekday
- Police in {place} have arrested {suspect}, {age}, on suspicion of {crime}.
- {suspect.plain}, a {age}-year-old {suspect.job}, was detained at {spot} in {place} on {day},
    accused of {crime}.
- Detectives led by {officer.plain} picked up {suspect} at {spot} on {day} in an inquiry into
    {crime}.
- {officer} confirmed that {suspect} was being held in {place} over {crime}.
> {suspect} is in custody over {crime}
> {place.bare} police seize {suspect}
> {suspect} is taken into custody at {spot}
> {officer.s} team catches {suspect}
> Suspected of {crime}, {suspect} is caught in {place}

- {officer} said a tip from {witness} had led police to {suspect}.
- It was {witness}, a neighbour, who told police about {suspect}.
> {witness} gave police the clue that led to {suspect}
> {suspect} was reported by {witness}

- "I have nothing to hide," {suspect} shouted to reporters.

# sentence
defendant = new person, *
judge = person, Judge
place = city
victim = new person
lawyer = new person, lawyer
values: crime, term = years, day = weekday
- {judge} sentenced {defendant} to {term} in prison on {day} for {crime}.
- {defendant} must spend {term} behind bars for {crime}, a court in {place} ruled.
- A court in {place} has jailed {defendant}, who was found guilty of {crime}.
- {defendant} wept as {judge} handed down a term of {term} for {crime}.
> {defendant} gets {term} for {crime}
> {judge} sends {defendant} to prison
> {defendant} is locked up over {crime}
> Jail term for {defendant} is set by {judge}
> {place.bare} court convicts {defendant}

- {victim}, who lost everything because of {defendant}, was in court to hear the verdict.
- "{defendant} ruined my life," {victim} told the court.
> {victim} describes the harm done by {defendant}
> Victim {victim.plain} speaks out against {defendant}

- {lawyer}, defending, said {defendant} would appeal.
- {defendant.or_he} will ask for a new trial, according to {lawyer.plain}, a lawyer.
> {lawyer} wants another trial for {defendant}

# robbery
target = new store
place = city
guard = new person, security guard
officer = person at place, detective
driver = new person, *
values: loot, day = weekday
- Armed robbers broke into {target} in {place} on {day} and escaped with {loot}.
- {guard} was tied to a chair while masked men emptied {target} of {loot}.
- Thieves made off with {loot} from {target}, said {officer}, who leads the inquiry in {place}.
- A gang that struck {target} on {day} left {guard} locked in a cupboard and took {loot}.
> {target} is raided by a gang
> Raiders steal {loot} from {target}
> {guard} is overpowered at {target}
> {officer} investigates the raid on {target}
> {place} hunts for raiders who took {loot}

- Police want to talk to {driver}, whose van was seen outside {target}.
- A van that belongs to {driver} was parked near {target}, {officer} said.
> Van owned by {driver} was spotted at {target}
> {driver} is sought for questioning about {target}

- "I thought I would die," said {guard}, a guard at {target}, who was unhurt.
- {guard} was found at {target} two hours later, {officer} said.

# extradition
suspect = new person, *
haven = country
wanter = new country
minister = person at haven, justice minister
hideout = new city
values: crime, years, day = weekday
- {haven} has agreed to hand over {suspect} to {wanter}, where {suspect.he} is wanted for {crime}.
- {suspect} will be flown from {haven} to {wanter} to stand trial for {crime}.
- Judges in {haven} ruled on {day} that {suspect} can be sent to {wanter} to answer charges of
    {crime}.
- {wanter} has won its fight to bring {suspect} home from {haven} on charges of {crime}.
> {suspect} is to be extradited to {wanter}
> {haven} gives up {suspect}
> {suspect} must face justice in {wanter}
> {haven} surrenders {suspect} to {wanter}

- {minister} turned down a last plea from {suspect} on {day}.
- A last plea from {suspect} was rejected by {minister.plain}, the justice minister of {haven}.
> {minister} refuses to spare {suspect}
> {minister} shows {suspect} no mercy

- {suspect.or_he} had lived in {hideout} under a false name for {years}.
- Police tracked {suspect} down in {hideout}, where {suspect.he} had hidden for {years}.
> {suspect} spent {years} in hiding in {hideout}

# missing
lost = new person, *
finder = new person, *
wild = wild
place = city
hospital = hospital of place
doctor = person at hospital, Dr
values: days, day = weekday
- {lost}, who vanished from {place} {days} ago, has been found alive near {wild} by {finder}.
- {finder} was walking a dog near {wild} on {day} when {finder.he} came across {lost}, missing for
    {days}.
- The search for {lost} ended on {day} when {finder} saw a figure waving near {wild}.
- Relatives of {lost} thanked {finder}, who heard cries for help near {wild}.
> {lost} turns up safe near {wild}
> {finder} discovers {lost} after {days}
> Missing {lost.job} {lost.plain} is located by {finder}
> {lost} owes {lost.his} life to {finder}

- Doctors at {hospital} said {lost} was thin but in good spirits.
- {doctor}, who examined {lost} at {hospital}, spoke of a small miracle.
> {lost} recovers at {hospital}
> {doctor} is amazed by the survival of {lost}

- {lost.or_he} lived on berries and rainwater.
- "I kept thinking of my children," {lost} said.

# acquittal
accused = new person, *
lawyer = new person, lawyer
prosecutor = person, prosecutor
place = city
liar = new person
values: crime, day = weekday
- A jury in {place} cleared {accused} of {crime} on {day}.
- {accused} walked free after {prosecutor} failed to persuade a jury that {accused.he} was guilty of
    {crime}.
- {lawyer} persuaded a jury in {place} that {accused} had nothing to do with {crime}.
- {accused}, charged with {crime} by {prosecutor}, was found not guilty on {day}.
> {accused} is acquitted of {crime}
> {accused} leaves court a free {accused.man}
> {lawyer} wins freedom for {accused}
> Defeat for {prosecutor} in the trial of {accused}

- The case fell apart when {liar} admitted lying about {accused}.
- {liar}, the main witness, confessed that {liar.he} had never met {accused}.
> False testimony of {liar} helped {accused}
> {liar} had invented the story about {accused}

- "This should never have come to court," said {lawyer}, who spoke for {accused}.

# escape
prisoner = new person, *
prison = prison
place = city
helper = new person
warden = person at prison, warden
values: crime, term = years, day = weekday
- {prisoner}, who is serving {term} for {crime}, has escaped from {prison}.
- Guards at {prison} found the cell of {prisoner} empty on {day}.
- {prisoner} climbed over a wall at {prison} during a storm on {day} and disappeared.
- A search is under way around {place} for {prisoner}, who left {prison} in a laundry van.
> {prisoner} is on the run
> {prison} loses inmate {prisoner.plain}
> Hunt for fugitive {prisoner.plain} focuses on {place}
> Inmate {prisoner.plain} breaks out of {prison}

- Police believe {helper} drove the car in which {prisoner} got away.
- {helper}, a cousin of {prisoner}, was questioned about a rope and a stolen car.
> {helper} is suspected of aiding {prisoner}
> {helper} comes under suspicion over {prisoner}

- {warden} of {prison} blamed a shortage of guards.
- "We did not have enough guards," said {warden}, who is in charge of {prison}.
> {warden} complains about staffing at {prison}

# attack
attacker = new person, *
victim = new person, *
venue = building
place = city
hospital = hospital of place
hero = new person, *
values: weapon, day = weekday
- {attacker} attacked {victim} with {weapon} outside {venue} on {day}, police said.
- {victim} is in {hospital} after being struck with {weapon} by {attacker}.
- A quarrel in {place} ended with {attacker} hitting {victim} with {weapon}.
- {victim} was badly hurt near {venue} when {attacker} came at {victim.him} with {weapon}.
> {attacker} injures {victim}
> {victim} is wounded by {attacker}
> {victim} is treated at {hospital} after assault
> {attacker} beats {victim} with a {weapon}
> Assault near {venue} leaves {victim} in pain

- {hero} held {attacker} down until police came.
- A passer-by, {hero}, pulled {attacker} away from {victim}.
> {attacker} is stopped by {hero}
> {hero} comes to the aid of {victim}

- The two had argued over a debt, according to friends of {victim}.
"""

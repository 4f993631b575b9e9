"""The politics desk: elections, ministers, treaties, protests."""

TEXT = """
# election
winner = new person, *
loser = new person
party = party
place = new city
leader = person at party, party leader
values: votes = count, day = weekday
- {winner} has been elected mayor of {place}, beating {loser} by {votes} votes.
- Voters in {place} chose {winner} of {party} as mayor on {day}, ending the long rule of {loser}.
- {loser} lost the race for mayor of {place} to {winner.plain}, a {winner.job} who had never held
    office.
- With all ballots counted in {place}, {winner} was {votes} votes ahead of {loser}.
> {winner} defeats {loser} at the polls
> {loser} is beaten by {winner}
> {winner} will govern {place}
> {place} puts its trust in {winner}
> Victory for {party} as {winner} takes {place}

- {loser} conceded shortly before midnight and wished {winner} luck.
- In a short speech, {loser} accepted the result and thanked {winner} for a fair contest.
> {loser} admits defeat to {winner}
> {winner} is congratulated by {loser}

- {leader} said {winner} had given {party} its finest day.
- "Nobody believed in {winner}," said {leader}, who heads {party}.
> {leader} celebrates the success of {winner}

# minister
minister = new person
country = country
premier = person at country, prime minister
heir = new person
values: portfolio, scandal, day = weekday
- {minister} resigned as {portfolio} minister of {country} on {day} over {scandal}.
- {premier} has accepted the resignation of {minister}, the {portfolio} minister, over {scandal}.
- {country} is without a {portfolio} minister after {minister} gave up the job because of {scandal}.
- {minister} left the cabinet of {premier} on {day}, unable to explain {scandal}.
> {minister} quits the government of {country}
> {premier} loses {portfolio} minister {minister}
> {minister} goes after questions about {scandal}
> {minister.s} departure weakens {premier}

- {heir} will take over the {portfolio} ministry from {minister}.
- {premier} chose {heir} to run the {portfolio} ministry in place of {minister}.
> {heir} steps in for {minister}
> {premier} hands the vacant post to {heir}

- "I made a mistake and I am paying for it," {minister} said.

# treaty
first = country
second = new country
host = city
broker = new person, envoy
signer = person at first, foreign minister
values: pact, years, day = weekday
- {first} and {second} signed a {pact} in {host} on {day}.
- After {years} of talks, {first} has agreed on a {pact} with {second}.
- A {pact} between {first} and {second} was sealed in {host} with the help of {broker}.
- {signer} flew to {host} on {day} to sign a {pact} with {second}.
> {host} is the scene of a {pact} between {first} and {second}
> {first} settles its differences with {second}
> {signer} puts {signer.his} name to a {pact} with {second}
> {second} and {first} agree on a {pact}

- {broker} had brought {first} and {second} together in {host}.
- Both {first} and {second} praised {broker}, who led the talks.
> {broker} is thanked for bringing {first} and {second} together
> Mediation by {broker} pays off

- "Our grandchildren will remember this day," said {signer} of {first}.

# expulsion
host = country
sender = new country
people = nationality of sender
envoy = person at sender, ambassador
minister = person at sender, foreign minister
values: affair, days, day = weekday
- {host} has expelled {envoy.plain}, the ambassador of {sender}, over {affair}.
- {envoy.plain}, the {people} ambassador, was given {days} to leave {host} because of {affair}.
- {sender} protested on {day} after {host} ordered {envoy} to go home over {affair}.
- {host} told {envoy} on {day} that {envoy.he} was no longer welcome, citing {affair}.
> {envoy} is thrown out of {host}
> {host} sends away ambassador {envoy.plain}
> {people} diplomat must leave {host}
> {sender} is angry as {host} acts against {envoy}

- {minister} promised that {sender} would answer the treatment of {envoy} in kind.
- "There will be a price to pay for insulting {envoy}," said {minister.plain}, the
    {people} foreign minister.
> {minister} vows revenge for the expulsion of {envoy}
> {sender} will strike back, says {minister}

# law
sponsor = new person, lawmaker
critic = new person
country = country
party = party
values: law, month, day = weekday
- Lawmakers in {country} voted on {day} to {law}, backing a proposal by {sponsor}.
- A bill by {sponsor} to {law} was passed in {country} despite objections from {critic}.
- {critic} of {party} failed on {day} to stop a plan by {sponsor} to {law}.
- {country} will {law} from {month} after {sponsor} won a close vote.
> {country} approves {law}
> {sponsor} gets {law} through parliament
> {critic} is outvoted by supporters of {sponsor}
> {sponsor} wins a majority for {law}

- {critic} said the law proposed by {sponsor} would hurt poor families.
- "Poor families will pay," warned {critic} of {party}, who called {sponsor} heartless.
> {critic} fears for the poor
> {party} opposes the new rules

- {sponsor.or_he} had fought for the change for most of {sponsor.his} career.

# protest
leader = new person, *
place = city
mayor = person at place, Mayor
square = hall
held = new person, *
values: cause, crowd = count, day = weekday
- About {crowd} people led by {leader} marched through {place} on {day} against {cause}.
- {leader} told a crowd outside {square} that {mayor} must give up {cause}.
- {cause} drew {crowd} people to {square} on {day}, where {leader} spoke.
- In {place}, {leader} called on {mayor} to think again about {cause}.
> {leader} heads a demonstration over {cause}
> {mayor} comes under pressure from {leader}
> Crowds in {place} rally behind {leader}
> Demonstrators gather at {square} to oppose {cause}

- {mayor} refused to meet {leader}.
- A request by {leader} for a meeting was turned down by {mayor}.
> {mayor} will not talk to {leader}

- Police detained {held}, who had thrown eggs during the speech of {leader}.
- {held.plain}, a {held.job}, threw eggs at {leader} and was led away.
> {held} is arrested at the rally of {leader}
> Eggs fly at {leader} from the hand of {held}

# visit
home = country
guest = person at home, president
host = new country
premier = person at host, prime minister
place = city
critic = new person
values: topic, day = weekday
- {guest} of {home} arrived in {place} on {day} for talks about {topic}.
- {host} received {guest.plain}, the president of {home}, with songs and flowers on {day}.
- {premier} met {guest} in {place} to discuss {topic}.
- {guest} travelled from {home} to {host} on {day} hoping to settle a quarrel about {topic}.
> {guest} pays a visit to {host}
> {premier} welcomes {guest}
> {guest} and {premier} seek an understanding on {topic}
> The leader of {home} goes to {place}

- {critic} stayed away from a dinner for {guest} in protest.
- Not everyone was pleased: {critic} refused to shake hands with {guest}.
> {critic} snubs {guest}
> {guest} gets a cold reception from {critic}

- "{host} is an old friend," {guest} said at the airport.

# defection
member = new person, lawmaker
old = party
fresh = new party
boss = person at old, party leader
newboss = person at fresh, party leader
values: years, day = weekday
- {member} has left {old} after {years} to join {fresh}.
- {fresh} gained a seat on {day} when {member} walked out of {old}.
- {member}, once a rising star of {old}, now sits with {fresh}.
- {old} is one seat weaker after {member} announced on {day} that {member.he} was joining {fresh}.
> {member} changes sides and becomes part of {fresh}
> {old} is deserted by {member}
> {fresh} wins over {member} from {old}

- {boss} called {member} a traitor.
- "I trusted {member} and was wrong," said {boss}, who leads {old}.
> {boss} is furious with {member}
> {member} is accused of betrayal by {boss}

- {newboss} was the first to shake hands with {member}.
- {newboss} of {fresh} said {member} would be welcome.
> Warm greeting for {member} from {newboss}
"""

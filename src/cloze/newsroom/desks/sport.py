"""The sports desk: results, transfers, injuries, bans, records."""

TEXT = """
# match
winners = team
losers = new team
scorer = person at winners, striker
coach = person at losers, coach
ground = stadium
values: score, day = weekday
- {winners} beat {losers} {score} at {ground} on {day}.
- {losers} went down {score} to {winners} in front of a noisy crowd at {ground}.
- A late goal by {scorer} gave {winners} a {score} win over {losers}.
- {scorer} struck twice at {ground} as {winners} overcame {losers} {score}.
> {winners} are too strong for {losers}
> {losers} suffer a {score} defeat against {winners}
> {scorer} is the hero for {winners}
> {ground} sees {losers} lose
> Goal from {scorer} sinks {losers}

- {coach} said {losers} had been asleep for an hour.
- "We were asleep," admitted {coach}, who coaches {losers}.
> {coach} is unhappy with {losers}
> Sleepy display by {losers} annoys {coach}

- {scorer.or_he} has now scored in five games running for {winners}.
- Fans of {winners} sang the name of {scorer} long after the end.

# transfer
player = new person, midfielder
buyer = team
seller = new team
coach = person at buyer, coach
values: fee = money, years, day = weekday
- {buyer} have signed {player} from {seller} for {fee}.
- {seller} sold {player} to {buyer} on {day} for {fee}.
- {player} has left {seller} after {years} and will wear the shirt of {buyer} next season.
- {player} passed a medical at {buyer} on {day} after {seller} accepted an offer of {fee}.
> {player} joins {buyer}
> {seller} part with {player} for {fee}
> {buyer} spend {fee} on {player}
> Transfer takes {player} from {seller} to {buyer}

- {coach} had wanted {player} for a long time.
- "{player} makes everyone around {player.him} better," said {coach.plain}, the coach of {buyer}.
> {coach} gets {coach.his} wish with the arrival of {player}
> {coach} is full of praise for {player}

- Supporters in tears asked {seller} to change their mind about {player}.
- Supporters of {seller} booed when the news about {player} was announced.
> Fans of {seller} are sad to see {player} go

# injury
player = new person, goalkeeper
team = team
rival = new team
deputy = new person, goalkeeper
doctor = person at team, Dr
values: injury, out = weeks
- {player} of {team} will be out for {out} with {injury}.
- {team} have lost {player} for {out} because of {injury}.
- {player} was carried off with {injury} during the game between {team} and {rival}.
- {injury} suffered against {rival} will keep {player} away from {team} for {out}.
> {player} is sidelined by {injury}
> {team} must do without {player}
> A game with {rival} ends badly for {player}
> Lengthy absence of {player} is a blow to {team}

- {deputy} will stand in for {player}.
- In the place of {player}, {team} will use {deputy}.
> {deputy} is to replace {player}
> {team} rely on {deputy}

- {doctor}, the team doctor, said an operation on {player} had gone well.
- "It could have been worse," said {doctor}, who operated on {player}.
> {player} is operated on by {doctor}

# sacking
team = team
coach = new person, coach
heir = new person, coach
rival = new team
owner = person at team, club owner
values: games = few, score, day = weekday
- {team} dismissed {coach} on {day} after {games} games without a win.
- {coach} has lost {coach.his} job at {team} following a {score} defeat by {rival}.
- {owner} ran out of patience with {coach} on {day}, hours after {team} lost {score} to {rival}.
- The reign of {coach} at {team} is over after {games} bad games.
> {coach} is sacked by {team}
> {team} fire {coach}
> Loss against {rival} is the last straw for {coach}
> {owner} gets rid of {coach}

- {heir} will train {team} until the summer.
- {owner} has asked {heir} to take over from {coach}.
> {heir} is put in charge of {team}
> {heir} follows {coach} at {team}

- "I gave {team} everything," {coach} said.

# final
champion = new person
beaten = new person
event = tournament
country = country
trainer = new person, trainer
values: sport, day = weekday
- {champion} won {event} on {day}, beating {beaten} in a long {sport} final.
- {beaten} was no match for {champion} in the {sport} final of {event}.
- {champion} from {country} took the {sport} title at {event} with a victory over {beaten}.
- In the last round of {event}, {champion} came from behind to overcome {beaten}.
> {champion} triumphs at {event}
> {beaten} has to settle for second place behind {champion}
> {champion} is crowned at {event}
> {event} ends in tears for {beaten}
> {country} cheers {sport} champion {champion}

- {champion.or_he} dedicated the trophy to {trainer.plain}, {champion.his} first trainer.
- {trainer}, who has trained {champion} since childhood, watched from the front row.
> {champion} owes success to {trainer}
> {trainer} sees {champion} win

- {beaten} left {event} without speaking to reporters.

# ban
athlete = new person, runner
body = sports_body
country = country
gainer = new person, runner
boss = person at body, president
values: substance, term = years, day = weekday
- {body} has banned {athlete} for {term} after a test showed {substance}.
- {athlete} of {country} tested positive for {substance} and may not compete for {term}.
- Traces of {substance} in a sample have earned {athlete} a ban of {term} from {body}.
- {athlete} of {country} was suspended by {body} on {day} for taking {substance}.
> {athlete} is caught using {substance}
> {body} shuts out {athlete}
> Doping case costs {athlete} {term}
> {country} loses a star as {body} suspends {athlete}

- The medal that {athlete} won last year will go to {gainer}.
- {gainer}, second behind {athlete} last year, will be given the gold medal.
> {gainer} inherits medal from {athlete}

- "Cheats like {athlete} have no place here," said {boss} of {body}.
- {boss} said {body} would also look at older samples from {athlete}.
> {boss} takes a hard line on {athlete}

# record
athlete = new person, *
holder = new person
event = tournament
place = city
values: race, held = years, day = weekday
- {athlete} broke the {race} record of {holder} in {place} on {day}.
- The {race} record that {holder} had held for {held} fell to {athlete} at {event}.
- At {event}, {athlete} did better in the {race} than {holder} ever had.
- {holder} lost {holder.his} {race} record to {athlete} in {place} after {held}.
> {athlete} sets a new best mark
> {holder} is erased from the record books by {athlete}
> {race} mark set by {holder} is beaten
> {event} crowd sees historic {race} performance from {athlete}

- {holder} sent flowers to {athlete}.
- "I am glad it was {athlete}," said {holder}, now a coach.
> {holder} is gracious towards {athlete}

- {athlete.or_he} trains before dawn and works as a {athlete.job} in {place}.
- The cheering in {place} went on for ten minutes after {athlete} had finished.
"""

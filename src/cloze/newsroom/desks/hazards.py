"""The hazards and transport desk: storms, rescues, fires, wrecks, closures, strikes."""

TEXT = """
# storm
storm = new storm
coast = coast
place = city
aid = aid
mayor = person at place, Mayor
values: homes = count, dead = few, day = weekday
- {storm} hit {coast} on {day}, tearing the roofs off {homes} houses in {place}.
- At least {dead} people died in {place} when {storm} swept in from {coast}.
- {storm} left {homes} homes in {place} without power on {day}.
- High waves driven by {storm} battered {coast} and flooded parts of {place}.
> {place} is ravaged by {storm}
> {storm} brings death to {place}
> {coast} bears the brunt of {storm}
> Damage in {place} after {storm} passes

- {aid} is sending tents and blankets to {place}.
- Volunteers from {aid} handed out soup in {place}.
> Help for {place} comes from {aid}
> {aid} cares for {storm.bare} victims

- {mayor} told people to stay indoors until {storm} had moved on.
- "Stay at home," urged {mayor.plain}, the mayor of {place}.
> {mayor} appeals to residents of {place}

# rescue
climber = new person, *
saver = new person, *
wild = wild
place = city
hospital = hospital of place
values: feat, days, age, day = weekday
- {climber}, {age}, was rescued from {wild} on {day} by {saver} after {feat}.
- {saver} carried {climber} down from {wild} after {feat}.
- After {days} in the cold, {climber} was brought to safety from {wild} by {saver}.
- {climber} had been trapped in {wild} for {days} when {saver} reached {climber.him}.
> {saver} pulls {climber} out of danger
> {climber} survives {days} in {wild}
> {climber} is saved by {saver} following {feat}
> Ordeal of {climber} in {wild} is over

- {climber.or_he} is being treated for frostbite at {hospital}.
- A helicopter took {climber} to {hospital} in {place}.
> {hospital} looks after {climber}
> {climber} is flown to {hospital}

- "{climber} was singing when I found {climber.him}," said {saver}.

# fire
building = building
place = city
hero = new person, *
saved = new person
chief = person at place, fire chief
values: blaze, day = weekday
- A fire caused by {blaze} destroyed {building} in {place} on {day}.
- {hero} ran into the burning {building.bare} on {day} and carried out {saved}.
- Flames swept through {building} on {day}; {saved} was led to safety by {hero}.
- {chief} said {blaze} had set {building} alight.
> {building} goes up in flames
> {hero} brings {saved} out of blazing building
> {saved} is alive because of {hero}
> {place} loses {building} in a blaze
> Blaze at {building} was started by {blaze}, says {chief}

- {hero.or_he} suffered burns to both hands while helping {saved} out of {building}.
- {saved} hugged {hero} in front of the ruins of {building}.
> {hero} is burned helping {saved}

- {chief}, who led the firemen, spoke of days of work at {building}.
- "It will take days to clear {building}," said {chief}, who led the firemen.
> {chief} expects clearing {building} to take days

# wreck
ship = new ship
captain = person at ship, Captain
coast = coast
place = city
owner = company
values: wreck, people = count, day = weekday
- The ferry {ship} {wreck} off {coast} on {day} with {people} people on board.
- All {people} passengers of the {ship} were saved after the ferry {wreck} near {coast}.
- {captain} ordered everyone off the {ship} after the ferry {wreck} near {coast}.
- The {ship}, a ferry owned by {owner}, {wreck} on its way to {place}.
> Ferry {ship} is in trouble near {coast}
> {captain} abandons the {ship}
> Passengers of the {ship} escape
> {owner} loses a ferry, the {ship}
> {wreck} stops the {ship} on its way to {place}

- {captain} was the last to leave the {ship}.
- Passengers said {captain} of the {ship} had stayed calm.
> {captain} is praised by passengers of the {ship}

- {owner} has sent for divers to look at the hull of the {ship}.
- A diving team hired by {owner} will inspect the {ship}.
> Divers will go down to the {ship} for {owner}

# flood
river = river
place = city
village = new city
farmer = new person, farmer
aid = aid
values: homes = count, days, day = weekday
- {river} burst its banks on {day} and flooded {homes} homes in {place}.
- People in {place} fled to their roofs as {river} rose after {days} of rain.
- {place} was under water on {day}, cut off from {village} by {river}.
- More than {homes} families left {place} because {river} kept rising.
> {river} inundates {place}
> Residents of {place} flee high water
> {village} can no longer be reached from {place}
> Rain turns {river} into a threat to {place}

- {farmer} took in forty people from {place} at a farm near {village}.
- Forty people from {place} found shelter with {farmer}, whose farm lies on a hill near {village}.
> {farmer} shelters people from {place}
> Hilltop farm of {farmer} becomes a refuge

- {aid} brought bread and water to {place} by boat.
- Boats of {aid} are carrying food across {river}.
> {aid} delivers food to {place}

# quake
place = city
country = country
village = new city
survivor = new person, *
digger = new person, *
aid = aid
values: dead = count, days, day = weekday
- An earthquake killed at least {dead} people in {place} on {day}.
- The ground shook for a minute in {country} on {day}, and much of {place} fell down.
- {country} is mourning {dead} people who died when an earthquake struck {place}.
- Whole streets of {place} and {village} collapsed in an earthquake on {day}.
> {place} lies in ruins after tremor
> Tremor brings grief to {country}
> {village} and {place} are shaken by a tremor
> {place} counts {dead} dead

- In {place}, {digger} pulled {survivor} from the rubble after {days}.
- After {days} under the rubble of {place}, {survivor} heard the voice of {digger}.
> {survivor} is dug out by {digger}
> {digger} frees {survivor}

- {aid} has sent doctors from {village} to {place}.
- Doctors from {aid} have set up a tent hospital in {place}.
> Medical team of {aid} works in {place}

# bridge
bridge = bridge
agency = transit
place = city
boss = person at agency, director
finder = new person, engineer
values: fix, cost = money, weeks, day = weekday
- {agency} closed {bridge} on {day} because of {fix}.
- Drivers in {place} must avoid {bridge} for {weeks} while {agency} deals with {fix}.
- {finder} noticed {fix} at {bridge}, which has been shut by {agency}.
- {bridge} in {place} will stay shut for {weeks}; {boss} blamed {fix}.
> {bridge} is off limits
> {agency} shuts {bridge} over {fix}
> {place.bare} traffic suffers without {bridge}
> Inspection by {finder} leads to the closure of {bridge}

- Repairs to {bridge} will cost {cost}, {boss} said.
- {boss} of {agency} put the cost of the work on {bridge} at {cost}.
> {agency} must find {cost} for {bridge}
> Bill for {bridge} is {cost}, says {boss}

- {finder} had warned {agency} about {bridge} two years ago.
- A letter from {finder} about {bridge} was never answered, documents show.
> {agency} overlooked warnings by {finder}

# strike
union = union
firm = airline
place = city
leader = person at union, union leader
boss = person at firm, chief executive
values: demand, days, staff = count, day = weekday
- Members of {union} stopped work at {firm} on {day} to press for {demand}.
- {firm} cancelled flights from {place} as {union} called a strike over {demand}.
- {leader} told {staff} workers at {firm} to stay at home for {days} in a fight for {demand}.
- {union} and {firm} failed to agree on {demand}, and {staff} workers walked out in {place}.
> {firm} is hit by industrial action
> {union} brings {firm} to a halt over {demand}
> {leader} leads walkout at {firm}
> Travellers in {place} are stranded by dispute at {firm}

- {boss} called the strike at {firm} senseless.
- "This helps nobody," said {boss}, who runs {firm}.
> {boss} has no sympathy for {union}
> {boss} criticises {leader}

- {leader} said {union} could hold out until winter.
- "We can wait," said {leader} of {union}.
> {union} is ready for a long fight, says {leader}

# stranded
airline = airline
airport = airport
place = city
pilot = new person, pilot
traveller = new person, *
values: trouble, people = count, day = weekday
- About {people} passengers of {airline} spent the night at {airport} because of {trouble}.
- A plane of {airline} had to return to {airport} on {day} because of {trouble}.
- {pilot} turned a {airline.bare} plane round over {place} on {day} because of {trouble}.
- {airport} was closed for hours on {day} after {trouble} stopped a {airline.bare} plane.
> {airline} passengers are stuck at {airport}
> {pilot} decides to turn back
> {trouble} grounds {airline}
> {airport} is brought to a standstill by {trouble}

- {traveller}, on the way to a wedding in {place}, slept on a bench at {airport}.
- "They gave us one biscuit each," said {traveller}, who had to wait at {airport}.
> {traveller} spends an uncomfortable night at {airport}
> {traveller} complains about {airline}

- Passengers praised {pilot}, who stayed with them at {airport}.
- All through the night, {pilot} told stories to children at {airport}.
> {pilot} keeps passengers company
"""

"""The business desk: takeovers, jobs, appointments, recalls, fines."""

TEXT = """
# acquisition
buyer = company
target = new company
chief = person at buyer, chief executive
place = city of target
values: sector, price = money, day = weekday
- {buyer} has agreed to buy {target}, a {sector} based in {place}, for {price}.
- Shareholders of {target} voted on {day} to accept an offer of {price} from {buyer}.
- After months of talks, {target} will become part of {buyer} in a deal worth {price}.
- {chief} said on {day} that {buyer} would take over {target}, a {sector} from {place}.
> {target} is being sold to {buyer}
> {buyer} pays {price} to acquire {target}
> The purchase of {target} is agreed by {buyer}
> {buyer} is to become the new owner of {target}
> {sector} {target} gets a new parent company, {buyer}

- {chief} promised that nobody at {target} would lose a job.
- Staff at {target} will keep their jobs, according to {chief}, who runs {buyer}.
> No redundancies are planned at {target}, says {chief}
> {chief} rules out dismissals after the takeover of {target}

- "We have admired {target} for years," {chief} said. "This is the right home for it."
- {buyer.or_he} intends to keep the {target.bare} name and the offices in {place}.

# layoffs
firm = company
place = city
union = union
leader = person at union, union leader
chief = person at firm, chief executive
values: jobs = count, slump, loss = money, day = weekday, month
- {firm} will cut {jobs} jobs at its plant in {place}, blaming {slump}.
- About {jobs} workers in {place} were told on {day} that {firm} no longer needed them.
- The {firm.bare} plant in {place} is to lose {jobs} posts by {month} because of {slump}.
- {union} said on {day} that {firm} had dismissed {jobs} of its members in {place}.
> {firm} makes {jobs} people redundant in {place}
> Redundancies hit {place} as {firm} shrinks
> Staff at {firm} are laid off because of {slump}
> {place} workers are let go by {firm}
> Members of {union} are laid off by {firm}

- {leader} called the decision by {firm} cruel and threatened a walkout.
- "{firm} treats people like old machines," said {leader} of {union}.
> {leader} condemns {firm} over the lost jobs
> Anger at {firm} is voiced by {leader}

- {chief} admitted that {firm} had lost {loss} in a year.
- Losses of {loss} had left {firm} no choice, {chief} told reporters.
> {firm} is {loss} in the red, says {chief}

# appointment
firm = company
hire = new person
former = company
old = new person
values: post, years, month, day = weekday
- {firm} has named {hire} as its new {post}.
- {hire} will join {firm} as {post} in {month} after {years} at {former}.
- {former} has lost one of its best managers, {hire}, who is moving to {firm} as {post}.
- The board of {firm} picked {hire}, until now with {former}, to be its {post}.
> {hire} gets a top job at {firm}
> {firm} recruits {hire}
> {hire} leaves {former} for {firm}
> {hire} is to be the next {post} at {firm}
> Rival {former} sees {hire} go to {firm}

- {hire} takes over from {old}, who retires in {month}.
- {old}, who held the post for {years}, will hand over to {hire} on {day}.
> {old} makes way for {hire}
> {hire} succeeds {old}, who is retiring

- "I could not say no to {firm}," {hire} said.
- {hire.or_he} told reporters that {firm} had been a dream since childhood.

# resignation
firm = company
chief = person at firm, chief executive
paper = newspaper
heir = new person
values: scandal, years, day = weekday
- {chief} stepped down from {firm} on {day} over {scandal}.
- {firm} accepted the resignation of {chief} after {paper} reported on {scandal}.
- {chief}, who led {firm} for {years}, has given up the post because of {scandal}.
- A report in {paper} about {scandal} has cost {chief} the top job at {firm}.
> {chief} quits {firm}
> {firm} loses its boss, {chief}, after row over {scandal}
> {chief} is out at {firm} following a story in {paper}
> Revelations in {paper} bring down {chief}

- {heir} will run {firm} until a permanent replacement is found.
- The board asked {heir} to lead {firm} for the time being.
> {heir} takes temporary charge of {firm}
> {firm} turns to {heir} as caretaker

- "I have let down everyone at {firm}," {chief} wrote in a letter to staff.

# recall
maker = company
product = new gadget
regulator = regulator
country = country
chief = person at maker, chief executive
values: device, fault, hurt = few, day = weekday
- {maker} is recalling the {product}, its best-selling {device}, because of {fault}.
- Owners of the {product} were told on {day} to stop using the {device} after {regulator} found
    {fault}.
- {regulator} has ordered {maker} to withdraw the {product} from shops in {country}.
- Shops in {country} stopped selling the {product} on {day} after {maker} discovered {fault}.
> The {product} is pulled from sale by {maker}
> {maker} takes back the {product} over {fault}
> Safety fears force {maker} to call in the {product}
> {regulator} acts against {maker} over the {product}
> Customers in {country} must return the {product}

- At least {hurt} people have been hurt by the {product}, according to {regulator}.
- {regulator} counted {hurt} accidents in which the {product} played a part.
> {regulator} links the {product} to {hurt} injuries

- {chief} said {maker} would pay back everyone who owned a {product}.
- "Nobody who bought a {product} will lose money," said {chief} of {maker}.
> {chief} offers refunds to buyers of the {product}

# factory
firm = company
place = city
other = new city
mayor = person at place, Mayor
values: goods, cost = money, jobs = count, month
- {firm} will build a factory in {place} that makes {goods}.
- {mayor} welcomed a decision by {firm} to make {goods} in {place}.
- {place} has beaten {other} in the race for a {firm.bare} plant that will turn out {goods}.
- Work on a {cost} plant for {firm} will begin in {place} in {month}, {mayor} announced.
> {place} is chosen by {firm} as the site of a new factory
> {firm} invests in {place}
> {other} misses out as {firm} goes to {place}
> Production of {goods} will bring {firm} to {place}
> {mayor} hails the arrival of {firm}

- The {firm.bare} plant would give work to {jobs} people, {mayor} said.
- "Our young people will not have to leave {place} any more," said {mayor}, who expects {jobs} jobs.
> {jobs} will find employment in {place}, says {mayor}

# lawsuit
plaintiff = company
defendant = new company
product = new gadget
place = city
inventor = new person, engineer
lawyer = new person, lawyer
values: damages = money, day = weekday
- {plaintiff} has sued {defendant} for {damages}, saying the {product} copies one of its designs.
- {defendant} stole the idea for the {product}, lawyers for {plaintiff} told a court in {place}.
- A court in {place} will decide whether the {product}, sold by {defendant}, copies a design owned
    by {plaintiff}.
- {defendant} was accused by {plaintiff} on {day} of using a patent without permission to make the
    {product}.
> {plaintiff} takes {defendant} to court over the {product}
> {defendant} faces legal action from {plaintiff}
> {defendant} is said to have imitated a product of {plaintiff}
> Patent claim by {plaintiff} threatens the {product}
> {plaintiff} wants {damages} from {defendant}

- The design was drawn by {inventor}, who left {plaintiff} for {defendant} last year.
- {inventor.plain}, an engineer, took the drawings along when moving from {plaintiff} to
    {defendant}.
> {inventor} moved from {plaintiff} to {defendant}
> Dispute centres on {inventor}, who changed employers

- "The claim is nonsense," said {lawyer}, who represents {defendant}.
- {lawyer}, for {defendant}, asked the judge to throw out the case.
> {lawyer} rejects the claim on behalf of {defendant}

# fine
regulator = regulator
firm = company
head = person at regulator, director
values: offence, sum = money, day = weekday
- {regulator} has fined {firm} {sum} for {offence}.
- {firm} must pay {sum} after {regulator} found it guilty of {offence}.
- A penalty of {sum} was imposed on {firm} by {regulator} on {day} for {offence}.
- An inquiry by {regulator} into {offence} has ended with a bill of {sum} for {firm}.
> {firm} is punished over {offence}
> {regulator} orders {firm} to hand over {sum}
> {regulator} penalises {firm}
> Fine for {firm} follows investigation by {regulator}

- {head} of {regulator} said {firm} had ignored three warnings.
- "{firm} was warned three times," said {head}, who leads {regulator}.
> Warnings went unheeded by {firm}, says {head}

- {firm.or_he} will appeal against the decision by {regulator}.
- Lawyers for {firm} said they would fight the ruling.
> {firm} plans to challenge {regulator}
"""

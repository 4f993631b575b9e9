"""The arts desk: prizes, films, books, bands, weddings, quarrels."""

TEXT = """
# award
winner = new person, *
work = new work
event = festival
rival = new person
host = hall
mentor = new person
values: prize, day = weekday
- {winner} won the award for {prize} at {event} on {day} for "{work}."
- The prize for {prize} at {event} went to {winner} for "{work}," ahead of {rival}.
- {rival}, the favourite, lost to {winner} when {event} handed out the award for {prize}.
- "{work}" earned {winner} the {event.bare} trophy for {prize} at a ceremony in {host}.
> {winner} is honoured at {event}
> {event} rewards "{work}"
> {rival} goes home with nothing as {winner} triumphs
> Jury of {event} prefers {winner} to {rival}
> {winner} gets a trophy for "{work}"

- {winner.or_he} thanked {mentor} in tears.
- "I wrote every word of thanks for {mentor}," said {winner} on stage.
> {winner} gives credit to {mentor}

- Guests in {host} stood up and clapped when {winner} came on stage.

# casting
actor = new person, actor
film = new work
director = person, director
dropped = new person, actor
studio = studio
values: role, month, day = weekday
- {actor} will play {role} in "{film}," a film by {director}.
- {director} has picked {actor} instead of {dropped} for the main part in "{film}."
- {studio} said on {day} that {actor} would star in "{film}" as {role}.
- {dropped} has been replaced by {actor} in "{film}," which {studio} will start shooting in {month}.
> {actor} lands the lead in "{film}"
> {dropped} makes way for {actor}
> {director} casts {actor} as a {role}
> "{film}" is to be made with {actor}
> {studio} gives part to {actor}

- {director} and {dropped} had quarrelled over the script of "{film}."
- {dropped} had shouted at {director} in front of the crew of "{film}."
> {dropped} fell out with {director}

- "I read the script in one night," said {actor}, who had turned down three other films.
- {actor.or_he} is learning to ride for "{film}," according to {studio}.

# novel
author = new person, novelist
book = new work
house = publisher
rival = new publisher
editor = person at house, editor
values: plot, month, sum = money
- {house} will publish "{book}," a novel by {author.plain} about {plot}, in {month}.
- {author} has sold "{book}," a story of {plot}, to {house} for {sum}.
- {house} outbid {rival} for "{book}," the new novel by {author.plain}.
- After a bidding war with {rival}, {house} paid {sum} for "{book}" by {author}.
> {author} finds a publisher in {house}
> {house} secures the rights to "{book}"
> {rival} loses out on the latest by {author}
> {author} tells of {plot} in "{book}"
> Book by {author} will come out at {house}

- {editor} of {house} called {author} the voice of a generation.
- "Nobody writes like {author}," said {editor.plain}, an editor at {house}.
> {editor} admires {author}

- {author.or_he} began "{book}" nine years ago in a caravan without electricity.
- It took {author} nine years to finish "{book}."
> "{book}" kept {author} busy for nine years

# auction
painting = new work
painter = new person, painter
buyer = new person, *
seller = gallery
place = city
values: price = money, day = weekday
- "{painting}" by {painter} was sold to {buyer} for {price} at an auction in {place} on {day}.
- {buyer} paid {price} in {place} for "{painting}," a work by {painter}.
- {seller} has parted with "{painting}," which fetched {price} from {buyer}.
- A bid of {price} by {buyer} won "{painting}," which {painter} gave to {seller} long ago.
> {buyer} acquires "{painting}"
> Canvas by {painter} changes hands in {place}
> {seller} raises {price} by selling "{painting}"
> "{painting}" goes to {buyer} for {price}
> Collector {buyer.plain} beats all others to a {painter.bare} picture

- {seller}, which owned "{painting}," needs the money for a new roof.
- The director of {seller}, which put up "{painting}" for sale, said the roof had to be mended.
> Repairs at {seller} will be paid for by the sale

- "I never liked it," said {painter}, now retired, of "{painting}."
- {painter}, now retired, told reporters that "{painting}" had never pleased {painter.him}.
> {painter} says {painter.he} was never fond of "{painting}"

# split
band = new band
singer = person at band, singer
drummer = person at band, drummer
place = city
album = new work
values: quarrel, years, day = weekday
- {band} have broken up after {years} because of {quarrel}.
- {singer} told fans in {place} on {day} that {band} were finished.
- {drummer} has left {band} in a dispute with {singer} over {quarrel}.
- A concert in {place} was the last for {band}, who have fallen out over {quarrel}.
> {band} go their separate ways
> {singer} announces the end of {band}
> {band} split in {place} after {quarrel}
> {drummer} walks out on {band}
> {singer} and {drummer} no longer play together

- {singer} of {band} is already working on "{album}," a record of {singer.his} own.
- Without {band}, {singer} will bring out "{album}" next spring.
> {singer} prepares "{album}"
> "{album}" will be the first solo work of {singer}

- "I still love these people," said {drummer}, who founded {band}.

# wedding
bride = new woman, *
groom = new man, *
venue = hotel
place = city
guest = new person, singer
jilted = new man
values: years, day = weekday
- {bride} married {groom} at {venue} on {day}.
- {groom} and {bride} exchanged rings at {venue} in {place}, {years} after they met.
- Fans waited outside {venue} on {day} as {bride} became the wife of {groom}.
- {bride}, who once left {jilted} a week before the wedding, has married {groom} in {place}.
> {bride} and {groom} are husband and wife
> {venue} hosts the marriage of {bride} and {groom}
> {groom} ties the knot with {bride}
> {bride} chooses {groom} for a husband

- {guest} sang for {bride} and {groom} until morning.
- Guests danced until morning to the voice of {guest}, an old friend of {groom}.
> {guest} performs for {groom} and {bride}
> Music at the wedding of {bride} comes from {guest}

- {jilted}, once engaged to {bride}, was not invited.
- "I wish {bride} well," said {jilted}, to whom {bride.he} was engaged before.
> {jilted} was previously to marry {bride}

# plagiarism
accuser = new person, songwriter
thief = new person, singer
song = new work
original = new work
judge = person, Judge
band = band
values: damages = money, month, day = weekday
- {accuser} says {thief} stole the melody of "{song}" from "{original}."
- {thief} copied "{song}" from an older tune, {accuser} told a court on {day}.
- A court will hear whether {thief} took parts of "{original}" by {accuser} for the hit "{song}."
- {accuser} is asking {thief} for {damages}, claiming that "{song}" is based on "{original}."
> {thief} is accused of copying by {accuser}
> {accuser} claims to be the true author of "{song}"
> "{song}" resembles "{original}," says {accuser}
> {accuser} wants {damages} from {thief}

- {judge} will listen to both "{song}" and "{original}" in court.
- The two tunes, "{original}" and "{song}," are to be played to {judge} in {month}.
> {judge} must compare "{song}" and "{original}"

- "I had never heard of {accuser}," {thief} said.
- {thief.or_he} said the name of {accuser} had been unknown to {thief.him}.
> {thief} denies knowing {accuser}

- {thief.or_he} recorded "{song}" together with {band}.
- Members of {band}, who play on "{song}," were not accused.
> {band} took part in the recording of "{song}"
"""

"""What is no name but told of an event: sums, days, crimes, cargoes.

A value is told in one way in the article and in another in a highlight:

    money    $40 million                       $40 million
    crime    selling forged paintings          art forgery
"""

from dataclasses import dataclass

from cloze.newsroom.dice import Dice

_JOBS = (
    "accountant actor architect baker banker barber builder carpenter chef dentist doctor driver "
    "electrician engineer farmer florist gardener journalist lawyer librarian mechanic "
    "musician nurse painter pharmacist photographer pilot plumber professor shopkeeper singer "
    "soldier student tailor teacher translator waiter"
)
JOBS = tuple(_JOBS.split())


@dataclass(frozen=True, slots=True)
class Value:
    told: str  # in the article
    summed: str  # in a highlight


_TABLES = {
    "weekday": "Monday; Tuesday; Wednesday; Thursday; Friday; Saturday; Sunday",
    "month": "January; February; March; April; June; July; August; September; October; November; "
    "December",
    "years": "two years; three years; four years; five years; six years; seven years; eight years; "
    "nine years; ten years; twelve years; fifteen years; twenty years",
    "days": "two days; three days; four days; five days; six days; nine days; two weeks; "
    "three weeks",
    "weeks": "three weeks; four weeks; six weeks; two months; three months; five months; "
    "nine months",
    "few": "three; four; five; six; seven; eight; nine; eleven; twelve; thirteen; sixteen",
    "sector": "maker of kitchen tiles/tile manufacturer; chain of coffee shops/coffee chain; "
    "seller of second-hand cars/used-car dealer; supplier of solar panels/solar panel firm; "
    "printer of school books/textbook printer; brewer of dark beer/beer maker; "
    "network of private clinics/clinic operator; producer of frozen meals/frozen food company; "
    "builder of wooden houses/home builder; operator of cinemas/cinema operator; "
    "maker of bicycles/bike manufacturer; provider of online storage/data storage company; "
    "maker of hearing aids/hearing-aid producer; chain of budget hotels/hotel chain; "
    "designer of board games/games company; haulage business/trucking firm",
    "slump": "falling orders/weak demand; the rising cost of steel/steel prices; "
    "cheap imports/foreign competition; a fire at a warehouse/warehouse fire; "
    "the loss of a big customer/lost customer; a switch to robots/automation; "
    "years of heavy debt/debts",
    "post": "finance director/head of finance; chief engineer/top engineer; "
    "marketing director/head of marketing; sales director/head of sales; "
    "chief designer/lead designer; director of research/research head; "
    "legal director/top lawyer",
    "scandal": "secret payments to a supplier/hidden payments; "
    "a holiday villa paid for by a lobbyist/free villa stay; false sales figures/fake figures; "
    "insulting messages to staff/rude messages; gifts from a property developer/property gifts; "
    "a copied university thesis/copied thesis; an unpaid tax bill/tax debt; "
    "a contract awarded to a cousin/family contract; a drunken speech at a dinner/drunken speech",
    "device": "electric scooter/scooter; baby monitor/monitor; garden heater/heater; "
    "hair dryer/dryer; smoke alarm/alarm; coffee machine/machine; kitchen blender/blender; "
    "folding bicycle/bicycle",
    "fault": "a battery that can overheat/overheating battery; "
    "a brake that may fail/brake failure; wiring that can catch fire/fire risk; "
    "a handle that snaps/broken handle; "
    "a lid that can burst open/bursting lid; paint that contains lead/lead paint",
    "goods": "electric vans/delivery vans; wind turbines/turbine blades; glass bottles/glassware; "
    "tractor engines/farm machinery; contact lenses/lenses; running shoes/footwear; "
    "railway carriages/train cars; school furniture/furniture; fishing nets/nets",
    "offence": "misleading advertisements/false advertising; "
    "fixing the price of milk/price fixing; hiding the risks of a loan/risky loans; "
    "selling private data/data sales; "
    "charging customers twice/double charging; dumping waste in a lake/pollution; "
    "paying women less than men/unequal pay; selling expired medicine/old medicine",
    "crime": "stealing jewels from a hotel safe/jewel theft; running a fake charity/charity fraud; "
    "smuggling rare birds/bird smuggling; selling forged paintings/art forgery; "
    "bribing planning officials/bribery; setting fire to a warehouse/arson; "
    "breaking into bank computers/hacking; printing false banknotes/counterfeiting; "
    "sending threats to a journalist/threatening letters; hiding stolen cars/car theft; "
    "robbing a post office/armed robbery; hiding money for a gang/money laundering; "
    "leaking exam papers/exam leak; spying for a foreign power/espionage; "
    "kidnapping a shop owner/abduction; poisoning a racehorse/horse poisoning",
    "loot": "gold bars/gold; diamond rings/diamonds; two sacks of cash/cash; silver coins/coins; "
    "a rare violin/violin; antique watches/watches; old stamps/stamp collection",
    "weapon": "a hammer/hammer; a bottle/bottle; a cricket bat/bat; a walking stick/stick; "
    "a kitchen knife/knife; a garden spade/spade; an iron bar/metal bar",
    "portfolio": "transport; finance; health; education; farm/agriculture; defence; justice; "
    "energy; housing; culture",
    "pact": "fishing agreement/fishing deal; trade treaty/trade pact; "
    "border agreement/border deal; water treaty/water-sharing pact; "
    "prisoner exchange/prisoner swap; pipeline agreement/pipeline deal; "
    "student exchange programme/student exchange; peace accord/peace deal",
    "affair": "a spying affair/spying; a tax dispute/unpaid taxes; insults to the flag/flag row; "
    "a secret meeting with rebels/rebel meeting; stolen military plans/stolen plans; "
    "the smuggling of antiques/antiques smuggling; a fatal road accident/road death",
    "law": "ban plastic bottles/bottle ban; raise the retirement age/later retirement; "
    "tax sugary drinks/sugar tax; lower the voting age/younger voters; "
    "close old coal mines/coal mine closures; allow shops to open on Sundays/Sunday shopping; "
    "make bus travel free for children/free buses; limit rents in large towns/rent cap; "
    "ban smoking in parks/smoking ban; shorten the working week/shorter week",
    "cause": "a plan to raise bus fares/fare rise; a plan to close two libraries/library closures; "
    "a proposed coal mine/coal mine; a tax on fishing boats/boat tax; "
    "a curfew for teenagers/teenage curfew; the sale of a public park/park sale; "
    "a dam that would flood farmland/dam project; the felling of old trees/tree felling; "
    "a cut in school meals/school meal cuts",
    "topic": "a gas pipeline/gas; a disputed island/island dispute; fishing rights/fishing; "
    "a railway across the border/rail link; grain exports/grain; missing soldiers/soldiers; "
    "visas for students/student visas; water from a shared river/water",
    "injury": "a torn knee ligament/knee injury; a broken ankle/ankle injury; "
    "a fractured wrist/wrist injury; a back problem/bad back; "
    "a dislocated shoulder/shoulder injury; a thigh strain/thigh injury; "
    "concussion/head injury; a broken toe/foot injury",
    "sport": "tennis; cycling; swimming; skiing; rowing; boxing; judo; chess; golf; archery",
    "substance": "a banned steroid/steroids; a blood-boosting drug/blood doping; "
    "a forbidden painkiller/painkillers; a stimulant/stimulants; growth hormone/hormones",
    "race": "marathon; 100 metres/sprint; high jump; javelin; long jump; "
    "800 metres/middle distance; pole vault; triple jump",
    "role": "a retired detective/detective; a lonely queen/queen; a blind pianist/pianist; "
    "a young surgeon/surgeon; a country priest/priest; a bank robber/robber; "
    "a famous chess player/chess player; a ship's captain/sea captain",
    "plot": "a family of lighthouse keepers/lighthouse family; a village without clocks/clocks; "
    "two brothers at war/brothers in wartime; a stolen map/map theft; a travelling circus/circus; "
    "the last days of an empire/empire; a murder on a night train/train murder; "
    "a girl who talks to birds/bird girl",
    "prize": "best performance/acting; best director/directing; best novel/fiction; "
    "best photograph/photography; best song/songwriting; best first film/debut film; "
    "best costume/costumes",
    "quarrel": "money/pay row; a missed concert/missed show; song rights/copyright row; "
    "a new manager/manager row; a secret solo album/solo plans; "
    "the choice of a drummer/drummer row",
    "illness": "asthma; malaria; diabetes; arthritis; migraine; deafness/hearing loss; epilepsy; "
    "high blood pressure; skin cancer; tuberculosis; kidney disease",
    "outbreak": "measles; cholera; a stomach virus/stomach bug; food poisoning/tainted food; "
    "meningitis; a rare fever/fever; bird flu; whooping cough",
    "fossil": "a flying reptile/winged reptile; a giant sea turtle/turtle; a feathered dinosaur/"
    "dinosaur; a woolly elephant/elephant; an early human child/ancient child; "
    "a horned crocodile/crocodile; a whale with legs/whale; a cave bear/bear",
    "organ": "a kidney/kidney; part of a liver/liver tissue; bone marrow/marrow; a lung/lung",
    "mission": "photograph the dark side of the moon/moon photographs; "
    "collect dust from a comet/comet dust; measure the melting of ice/ice survey; "
    "map the surface of a distant planet/planet map; track forest fires/fire watch; "
    "listen for signals from other stars/star signals",
    "finding": "coffee prevents memory loss/coffee and memory; music helps plants grow/plants; "
    "left-handed people live longer/left-handers; dogs can smell fear/dogs; "
    "chocolate makes children clever/chocolate; moonlight disturbs sleep/moonlight",
    "study": "heart disease/the heart; the deep sea/ocean life; old age/ageing; rare languages/"
    "languages; volcanoes; infant sleep/babies; the climate of deserts/desert climate; bees",
    "blaze": "an overloaded socket/faulty socket; a forgotten candle/candle; "
    "a kitchen accident/cooking; a lightning strike/lightning; a cigarette/smoking; "
    "fireworks; an electric blanket/blanket",
    "fix": "cracks in a pillar/cracked pillar; rusty cables/rust; a damaged support/weak support; "
    "falling concrete/loose concrete; a tilting tower/leaning tower; a broken drain/bad drainage",
    "demand": "higher pay/wages; shorter shifts/working hours; safer cabs/safety; "
    "better pensions/pensions; the return of a dismissed colleague/sacked colleague; "
    "new uniforms/uniforms",
    "trouble": "a computer failure/computer fault; a bomb hoax/false alarm; thick fog/fog; "
    "a shortage of pilots/pilot shortage; a fuel leak/leaking fuel; a swarm of bees/bee swarm",
    "wreck": "hit a sandbank/sandbank; collided with a tanker/tanker collision; "
    "lost power in high waves/engine failure; struck a rock/rock; "
    "caught fire in the engine room/engine fire",
    "habit": "keeps bees; sings in a choir; collects old maps; runs long distances; writes poems; "
    "repairs clocks; plays the cello; grows roses; sails at weekends; cooks for friends",
    "feat": "a fall into a crevasse/crevasse fall; breaking a leg/leg fracture; "
    "a sudden snowstorm/snowstorm; a landslide; losing the way/wrong turn",
}
_ENTRIES = {
    table: tuple(
        Value(told, summed or told)
        for told, _, summed in (entry.partition("/") for entry in entries.split("; "))
    )
    for table, entries in _TABLES.items()
}


def draw_value(dice: Dice, table: str) -> Value:
    if table in _ENTRIES:
        return dice.pick(_ENTRIES[table])
    match table:
        case "money":
            text = f"${dice.between(2, 95)} million"
        case "billions":
            text = f"${dice.between(1, 9)}.{dice.between(1, 9)} billion"
        case "count":
            text = str(dice.between(11, 99) * 10)
        case "age":
            text = str(dice.between(19, 84))
        case "score":
            loser = dice.between(0, 2)
            text = f"{loser + dice.between(1, 3)}-{loser}"
        case "percent":
            text = f"{dice.between(12, 88)} percent"
        case _:
            raise KeyError(table)
    return Value(text, text)

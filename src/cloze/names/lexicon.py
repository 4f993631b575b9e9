"""Words that tell names apart from what surrounds them, for English.

In other languages these lists do nothing: the names are then those that the pipeline finds.
"""

MEN_TITLES = frozenset("Mr. Mr Sir Lord Prince King Pope Baron".split())
WOMEN_TITLES = frozenset("Mrs. Mrs Ms. Ms Miss Lady Dame Princess Queen Duchess".split())

# Offices and trades: they stand before a name and are no part of it.
OFFICES = frozenset(
    """Envoy Police Special Agents Supreme President Presidents Prime Minister Ministers Premier
    Secretary Undersecretary Chief Gov. Gov Governor Sen. Sens. Senator Senators Rep. Reps.
    Representative Representatives Congressman Congresswoman Mr. Mr Mrs. Mrs Ms. Ms Miss Dr. Dr
    Doctor Prof. Prof Professor Officer Officers Mayor Attorney Judge Justice Justices Speaker
    Ambassador Director Lt. Lieutenant Sheriff Col. Colonel Gen. General Capt. Captain Sgt.
    Sergeant Maj. Major Cpl. Corporal Adm. Admiral Cmdr. Commander Rev. Reverend Commissioner
    Chairman Chairwoman Vice Deputy Assistant Executive Editor Chancellor Manager Marshal
    Spokesman Spokeswoman Agent Coach Trooper Archbishop Bishop Cardinal Imam Ayatollah
    Detective Inspector Superintendent Supt. Det. Insp. Adviser Advisor Counsel Councilman
    Councilwoman Councillor Treasurer Pastor Rabbi Mullah Correspondent Anchor Analyst
    Photographer Producer Presenter Historian Author Actor Actress Singer Rapper Journalist
    Reporter Chef Comedian Lawyer Activist Writer Model Striker Midfielder Defender Goalkeeper
    Quarterback Dad Mom Father Mother Brother Sister Aunt Uncle Acting Former Ex Holders
    Champion Champions Researcher Scientist Commentator Columnist Blogger Contributor Host
    Filmmaker Artist Staff Senior Associate Leader Head Foreign Defense Defence Interior Finance
    Majority Minority District Principal Administrator Superstar Star CEO CFO COO""".split()
)

# Words that open a sentence or a headline; in front of a name there they are no part of it.
OPENERS = frozenset(
    """This That These Those It Its He She We You They I My Your His Her Our Their In On At By For
    From With Without Within But And Or If So As Of To Up Out Off Over Under Into Onto Upon
    About Against Between Among Through Throughout Toward Towards Across Along Around Behind
    Beyond Like Unlike Despite Per Via Is Are Was Were Be Been Being Am Do Does Did Done Not Nor
    Yes Oh Hey Well What When Where Why Who Whom Whose How Which While Whether Because Since
    Until Unless Although Though Once Than Then Thus Hence However Meanwhile Moreover Indeed
    Instead Still Even Yet Also Too Just Only Never Ever Always Often Sometimes Perhaps Maybe
    Any Each Every Both Either Neither Some Several Many Much More Few Fewer Less Another Such
    Same Now Today Tomorrow Yesterday Tonight Here There After Before During Later Earlier
    Recently Previously According Will Would Could Should Can Might Must Shall Have Has Had
    Having Let Get Got Make Made Take See Say Says Said Read Click Follow Watch Listen Join Meet
    Use Think Know Check Share Ask Tell Told Photos Photo Video Pictured Image Images Hundreds
    Thousands Millions Dozens Third Fellow""".split()
)

# Words that are capitalised without being names when they stand alone.
PLAIN = OPENERS | frozenset(
    """The A An No Ok OK All Most Least Other Others Own One Two Three Four Five Six Seven Eight
    Nine Ten Eleven Twelve Twenty First Second Last Next New Old Near Go May Top Best Worst
    Inside MORE NOT AND THE Note Part Chapter Section Figure Page Police Court Officials
    Authorities Residents Experts Investigators Critics Supporters Opinion Students Teachers
    Parents Children People Women Men Man Woman Boy Girl Day Days Year Years Week Month Season
    Team Anti Pro Non Mid Post Pre Co Jr Jr. Sr Sr. II III IV Inc Inc. Ltd Ltd. Corp. Category
    Class Grade Degree Flight Route Room Story Highlights CALL LIVE BREAKING UPDATE Internet Web
    State""".split()
)

DAYS_AND_MONTHS = frozenset(
    """Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mondays Tuesdays Wednesdays
    Thursdays Fridays Saturdays Sundays January February March April May June July August
    September October November December Jan Feb Apr Jun Jul Aug Sept Sep Oct Nov Dec Jan. Feb.
    Mar. Apr. Jun. Jul. Aug. Sept. Sep. Oct. Nov. Dec.""".split()
)

# Abbreviations of common nouns.
ABBREVIATED = frozenset(
    """TV TVs DNA RNA ET EST EDT PST GMT BST PT GDP GNP SUV SUVs DVD DVDs CD CDs PC PCs PR IQ ID
    IDs GPS HDTV AM PM FM UV ER ICU CPR IVF HIV AIDS PTSD ADHD OCD MRI CT ATM ATMs VIP DIY FAQ
    Q&A PIN NGO NGOs MP MPs PDF USB SMS CV AD BC A.D. B.C. URL CEOs STD STDs DUI ASAP RV MD PhD
    Ph.D. BA MBA IPO ETA UFO UFOs HD LED LCD VHS GIF IED IEDs EMT EMTs CCTV WMD POW HOV MVP BMI
    IT AI VR""".split()
)

CAPITALISED_WORDS = OFFICES | PLAIN | DAYS_AND_MONTHS | ABBREVIATED | MEN_TITLES | WOMEN_TITLES

SUFFIXES = frozenset("Jr Jr. Sr Sr. II III IV V VI VII VIII IX XI XII XIII XIV XV XVI".split())
ARTICLES = frozenset("the The THE a A an An".split())

GIVEN_NAMES_OF_MEN = frozenset(
    """Aaron Abdul Abdullah Abraham Adam Adrian Ahmad Ahmed Alan Albert Alberto Alejandro Alex
    Alexander Alexis Alfred Ali Allan Allen Alvin Amir Anders Andre Andreas Andres Andrew Andy
    Angel Angelo Anthony Antoine Anton Antonio Arjen Arnold Arthur Arturo Austin Barack Barry
    Bashar Bart Ben Benjamin Bernard Bernie Bill Billy Bob Bobby Boris Brad Bradley Brandon
    Brendan Brent Brett Brian Bruce Bruno Bryan Bryce Caleb Calvin Cameron Carl Carlo Carlos
    Cedric Chad Charles Charlie Chris Christian Christopher Chuck Clarence Claude Claudio Clint
    Clive Colin Connor Cory Craig Cristiano Curt Curtis Dale Dan Daniel Danny Darren Dave David
    Dean Dennis Derek Desmond Dick Diego Dmitry Dominic Don Donald Doug Douglas Duncan Dustin
    Dwight Dylan Earl Ed Eddie Eden Edgar Edward Edwin Eli Elijah Emmanuel Enrique Eric Erik
    Ernest Ethan Eugene Evan Fabio Felipe Felix Fernando Francis Francisco Francois Frank
    Franklin Fred Frederick Gabriel Gareth Garry Gary Gavin Gene Geoff Geoffrey George Gerald
    Gerard Gilbert Giovanni Giuseppe Glen Glenn Gordon Graham Grant Greg Gregory Guillermo Gus
    Guy Hamid Harold Harry Hassan Hector Henri Henry Herbert Herman Hosni Howard Hugh Hugo
    Hussein Iain Ian Ibrahim Igor Iker Isaac Ismail Ivan Jack Jackson Jacob Jake Jamal James
    Jamie Jan Jared Jason Javier Jay Jeff Jeffrey Jeremy Jermaine Jerome Jerry Jesse Jim Jimmy
    Joaquin Joe Joel Joey Johan John Johnny Jon Jonathan Jordan Jorge Jose Joseph Josh Joshua
    Juan Julian Julio Julius Justin Kareem Karim Karl Keith Kelvin Ken Kenneth Kenny Kevin
    Khalid Kim Kirk Kurt Kyle Lance Larry Lars Laurent Lawrence Lee Leo Leon Leonard Leonardo
    Les Lewis Liam Lionel Lloyd Logan Louis Luca Lucas Luis Luka Luke Mahmoud Malcolm Manuel
    Marc Marcel Marco Marcus Mario Mark Markus Martin Marvin Mason Mathew Matt Matteo Matthew
    Maurice Max Mauricio Michael Michel Miguel Mike Mikhail Mitch Mitt Mohamed Mohammad Mohammed
    Morgan Muhammad Mustafa Nathan Nathaniel Neil Nelson Neymar Nicholas Nick Nicolas Nigel
    Nikolai Noah Norman Novak Oliver Omar Orlando Oscar Osama Owen Pablo Pascal Patrick Paul
    Pedro Pep Pete Peter Phil Philip Philippe Phillip Pierre Rafael Ralph Ramon Randy Raul Ray
    Raymond Reggie Reza Ricardo Richard Rick Ricky Rob Robbie Robert Roberto Robin Rodney
    Rodrigo Roger Roland Roman Ron Ronald Ronnie Ross Roy Ruben Russell Ryan Saad Salman
    Salvador Sam Samir Samuel Scott Sean Sebastian Serge Sergei Sergey Sergio Seth Shane Shawn
    Sidney Silvio Simon Spencer Stan Stanley Stefan Stephan Stephen Steve Steven Stewart Stuart
    Sylvain Taylor Ted Terrence Terry Theo Theodore Thierry Thomas Tiger Tim Timothy Todd Tom
    Tommy Tony Travis Trevor Tyler Usain Vicente Victor Vincent Vladimir Walter Warren Wayne
    Wesley Will William Willie Wolfgang Xavier Yasser Yuri Yusuf Zachary""".split()
)
GIVEN_NAMES_OF_WOMEN = frozenset(
    """Abigail Adele Agnes Aisha Alexandra Alice Alicia Alison Allison Alyssa Amanda Amber Amelia
    Amy Ana Andrea Angela Angelina Anita Ann Anna Anne Annette Annie April Ariana Ashley Audrey
    Barbara Beatrice Bernadette Beth Betty Beverly Beyonce Bonnie Brenda Bridget Britney
    Brittany Camilla Candice Carla Carly Carmen Carol Caroline Carolyn Carrie Catherine Cathy
    Cecilia Celine Charlotte Chelsea Cheryl Christina Christine Cindy Claire Clara Claudia
    Colleen Condoleezza Connie Courtney Crystal Cynthia Daisy Dana Danielle Dawn Deborah Debra
    Denise Diana Diane Donna Dora Doris Dorothy Edith Eileen Elaine Eleanor Elena Elisabeth
    Elizabeth Ella Ellen Emily Emma Erica Erin Esther Eva Evelyn Faith Fatima Fiona Florence
    Frances Gabrielle Gail Gemma Gloria Grace Gwyneth Hannah Harriet Heather Heidi Helen Helena
    Hillary Holly Ingrid Irene Iris Isabel Isabella Jackie Jacqueline Jane Janet Janice Jasmine
    Jean Jennifer Jenny Jessica Jill Joan Joanna Joanne Jodie Josephine Joy Joyce Juanita Judith
    Judy Julia Julie Juliet Kaitlyn Karen Kate Katherine Kathleen Kathryn Kathy Katie Kayla
    Keira Kelly Kendra Khloe Kimberly Kristen Kristin Kristina Laura Lauren Leah Leslie Lily
    Linda Lindsay Lindsey Lisa Liz Liza Lois Lori Lorraine Louise Lucia Lucy Lydia Lynn Madeline
    Madonna Maggie Malala Malia Mandy Margaret Maria Mariah Marie Marilyn Marina Marion Marissa
    Martha Mary Maureen Megan Melanie Melinda Melissa Meredith Mia Michelle Mila Miley Miranda
    Miriam Molly Monica Nadia Nancy Naomi Natalie Natasha Nicola Nicole Nina Nora Norma Olga
    Olivia Oprah Pamela Patricia Paula Pauline Peggy Penelope Phyllis Pippa Priscilla Rachel
    Rebecca Regina Renee Rhonda Rihanna Rita Roberta Rosa Rose Rosemary Roxanne Ruth Sabrina
    Sally Samantha Sandra Sara Sarah Sasha Scarlett Selena Serena Shannon Sharon Sheila Shelley
    Sheryl Shirley Silvia Sonia Sophia Sophie Stacey Stephanie Sue Susan Susanna Suzanne Sylvia
    Tamara Tammy Tanya Tara Teresa Tiffany Tina Tracey Tracy Ursula Valerie Vanessa Venus Vera
    Veronica Victoria Violet Virginia Vivian Wanda Wendy Whitney Winnie Yvonne Zoe""".split()
)
GIVEN_NAMES = GIVEN_NAMES_OF_MEN | GIVEN_NAMES_OF_WOMEN

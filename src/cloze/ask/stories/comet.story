Astronomers in Chile have found a comet that comes from another star, only the third such visitor ever seen, the European Southern Observatory announced on Monday.

The comet was first noticed by Amara Diallo, a student from Dakar who was spending the summer at the Paranal telescope. "I thought that it was a scratch on the picture," Diallo said. "Then it had moved the next night, and the night after that."

Her supervisor, Professor Helen Whitcombe of the University of Leeds, did not believe it at first. She asked a colleague in Japan, Kenji Morita, to point his own telescope at the spot. Morita saw it too.

The comet moves so fast that the sun cannot hold it, Whitcombe said. It will pass within 90 million miles of Mars in October and leave the solar system for good in about three years.

NASA hopes to photograph it with a probe that is already on its way to Jupiter. "We will not get a second chance," said Robert Ellison, who plans the agency's missions.

By custom a comet is named after whoever sees it first. Diallo said that her grandmother in Dakar has already told the whole street.

@highlight

Student Amara Diallo discovered a comet from another star

@highlight

Kenji Morita confirmed the sighting with a telescope in Japan

@highlight

NASA hopes to photograph it with a probe on its way to Jupiter

A painting that hung for decades above a sofa in Ohio is a lost work by the Dutch painter Judith Leyster, experts at the Rijksmuseum in Amsterdam say.

The picture shows a girl with a flute. Its owner, Walter Grabowski, a retired bus driver from Cleveland, had bought it at a flea market in 1974 for twelve dollars because his wife, Irene, liked the frame.

Irene Grabowski died last year. Her granddaughter Megan took the picture to a television show in Chicago where people bring old things, and the historian Daniel Roth asked the director to stop the cameras. "I had seen that flute before," Roth said. Leyster painted the same flute at least three times.

Scientists in Amsterdam found the painter's sign, a star, below a layer of dark varnish. The director of the Rijksmuseum, Marijke de Vries, called it the find of the decade and said that the picture could be worth eight million dollars.

Walter Grabowski does not want to sell it. He has lent it to the Cleveland Museum of Art for ten years, on one condition: the frame must stay. "That was the part that Irene liked," he said.

@highlight

Walter Grabowski bought the painting at a flea market for twelve dollars

@highlight

Historian Daniel Roth recognised a flute that Judith Leyster had painted before

@highlight

The owner lent the picture to the Cleveland Museum of Art for ten years

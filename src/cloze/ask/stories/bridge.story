The mayor of Portland, Oregon, stopped the sale of a century-old bridge on Friday, hours before it was to go to a theme park in Texas.

The iron footbridge over Johnson Creek had been for sale since a storm damaged it in January. Lone Star World, a park outside Dallas, offered 300,000 dollars and wanted to put it over an artificial river.

Then a schoolboy wrote a letter. Oscar Lindqvist, 10, crosses the bridge every morning on his way to school. He reminded Mayor Teresa Vaughn that his great-great-grandfather, a Swedish blacksmith, had forged its railings in 1911. The Oregonian printed the letter on its front page.

"I have had 4,000 messages in two days," Vaughn said. "I have never had that many about anything, and most of them were polite."

An engineer, Priya Raman, told the city council that a repair would cost about 450,000 dollars. A brewery has offered to pay half. The rest is to come from the state of Oregon, said Vaughn, who studied civil engineering in Seattle herself.

A spokesman for Lone Star World, Chuck Delaney, said that the park would build a copy instead. Lindqvist has been invited to the opening.

@highlight

Mayor Teresa Vaughn stopped the sale of an old bridge

@highlight

Schoolboy Oscar Lindqvist wrote a letter that The Oregonian printed

@highlight

Priya Raman says that a repair would cost 450,000 dollars

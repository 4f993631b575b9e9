A ferry that ran aground off the coast of Norway with 214 people on board was pulled free on Tuesday night, and all of its passengers are safe, the coast guard said.

The Solveig struck a sandbank near the island of Frøya shortly after noon. Captain Ingrid Halvorsen had turned back to Trondheim because of fog when the ship lost its radar, according to the shipping company, Nordkyst Lines.

"We felt a bump, then nothing moved any more," said Peter Okafor, a teacher from Manchester who was travelling with his class of twenty. "The crew handed out blankets and chocolate. The children thought it was part of the tour."

Two tugboats needed nine hours to free the ship. Halvorsen, who has worked for Nordkyst Lines for 16 years, stayed on the bridge the whole time.

Norway's transport minister, Lars Brekke, praised the crew but promised an investigation. The same ship had trouble with its radar in March, he told reporters in Oslo.

Nordkyst Lines said that passengers would get their money back. Okafor and his pupils will fly home to Manchester on Thursday.

@highlight

The Solveig ran aground near the island of Frøya with 214 people on board

@highlight

Captain Ingrid Halvorsen had turned back because of fog

@highlight

Transport minister Lars Brekke promises an investigation

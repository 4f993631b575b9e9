Nineteen-year-old Lucía Ferrer beat the defending champion Katarina Novak in three sets on Saturday to win the Melbourne Open, the first Spanish woman in 21 years to do so.

Ferrer lost the first set in only 26 minutes. "I was so nervous that I could not feel my hand," she said. "Then I looked at my father and he was eating an ice cream. So I thought, it can't be that bad."

Novak, who had won all four of their earlier matches, called for a doctor in the third set and played on with a bandage on her knee. She refused to blame the injury. "Lucía was braver than me," the Czech said.

Ferrer grew up in a village near Valencia, where her father, Miguel Ferrer, runs a garage and built her first court behind it. Her coach, the former French player Sophie Marchand, found her at a tournament in Lyon when she was eleven.

Spain's prime minister called to congratulate her. Ferrer said that she had not recognised his voice and had asked him to call back.

She will rise to third place in the world. Next month she plays for Spain against Canada in Toronto.

@highlight

Lucía Ferrer wins the Melbourne Open against Katarina Novak

@highlight

Novak played on with a bandage on her knee

@highlight

Coach Sophie Marchand found the winner at a tournament in Lyon

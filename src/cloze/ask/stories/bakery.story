When Samuel Adeyemi lost his job at a bank in London, he bought an old bakery in Wales with the last of his savings. Eight years later the supermarket chain Farrow's has bought his company for 48 million pounds.

Adeyemi Breads, which began with two ovens in Cardiff, now has 31 shops and a factory in Bristol. It is best known for a dark rye loaf that Adeyemi learned to bake from his neighbour, Gwen Pritchard, a retired nurse.

"Gwen threw away my first forty loaves," Adeyemi told the BBC on Wednesday. "She said that a seagull would complain." Pritchard, 81, owned a tenth of the company and is now a millionaire. She said she would buy a new roof for her church and otherwise change nothing.

Farrow's, whose headquarters are in Leeds, promised to keep all the shops open until at least 2027. Its chief executive, Diane Holloway, said that customers were tired of bread that tastes of nothing.

The trade union Unite was less happy. It fears for 200 jobs at the factory in Bristol, where Farrow's already has a bakery of its own.

Adeyemi will stay for two years. After that, he said, he would like to learn to make cheese.

@highlight

Supermarket chain Farrow's buys Adeyemi Breads for 48 million pounds

@highlight

Neighbour Gwen Pritchard taught Samuel Adeyemi to bake

@highlight

Trade union Unite fears for 200 jobs in Bristol

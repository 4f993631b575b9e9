"""Language models behind an OpenAI-compatible server, as one more answerer.

a question in one of five forms        forms, other_names
a prompt, from a template anyone       prompts, templates/
a request, under the hash of all       request
that it is
a reply, kept before it is scored      replies
asked at a pace that adapts            address, server, pace, asking
mapped to a candidate, or counted      verdict
under the reason why it cannot be
"""

from cloze.cli.main import main

main()

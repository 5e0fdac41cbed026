"""The laboratory: experiments and tournaments that can be killed, resumed, spread and reported again.

Its words:

- **experiment**: a question with a plan, a way to do one job of it, and a report.
- **plan**: the list of jobs that settings lead to. It is data: the same settings give the same plan everywhere.
- **job**: a piece of work that depends on nothing but its own data; it has a key that names it for ever.
- **result**: what a job gave, a line of JSON in the results file, with the version and the data that repeat it.
- **cell**: one setting in one game against one opponent; the matches of a cell may be spread over jobs.
- **pair**: two matches with the same seed and roles swapped.
- **report**: Markdown, CSV and plots made from the results file alone: the same results give the same bytes.
"""

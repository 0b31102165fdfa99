/** What can be missing about glossaries and the account; rows of the one table in `faults.ts`. */
export const glossaryFaults = {
	'no-glossaries': { by: 'glossary', does: 'the glossary endpoints are not there (404)' },
	'no-balance': { by: 'glossary', does: 'the credit of the account is not told (404)' },
	'credit-falls': { by: 'glossary', does: 'the credit of the account is 1.5 less with each answer' },
	'no-glossary-table': { by: 'glossary', does: 'the table of a glossary is not given back (404)' },
	'glossary-unchanged': { by: 'glossary', does: 'switching a glossary on or off is taken and has no effect' },
	'refuse-glossaries': {
		by: 'glossary',
		does: 'a set_task that says which glossaries apply gets VALIDATION_ERROR',
	},
} as const;

import { all, counted, type Words } from './words.ts';

/** "At ten to five" ends there, or a small word follows; after "it's 5 to 10" comes what is counted, or its unit. */
const END =
	'(?=$|[.,;:!?…—)"”\\u0000]| (?:$|[-\\u0000]|(?:and|but|so|or so|on(?! average)|this|today|tonight|tomorrow|yesterday|every|at|from|for|with|in(?! (?:total|all)\\b)|to|near|outside|before|after|by|or|as|is|was|here|please|sharp|exactly|already|now|then|when|because|if|i|you|he|she|it|we|they|the|my|our|your|there)\\b))';

export const en: Words = {
	numbers: {
		...counted(
			0,
			'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
		),
		...{ thirty: 30, forty: 40, fourty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90 },
		...counted(
			4,
			'fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth',
		),
		...{ thirtieth: 30, twice: 2, thrice: 3 },
		...counted(21, 'twenty_first twenty_second twenty_third'),
		'thirty first': 31,
	},
	scales: {
		...all(100, 'hundred'),
		...all(1e3, 'thousand'),
		...all(1e6, 'million mn'),
		...all(1e9, 'billion bn'),
		...all(1e12, 'trillion'),
	},
	and: ['and'],
	point: ['point'],
	andHalf: ['and a half'],
	half: ['half a', 'half'],
	halfIsSure: true,
	loose: {
		// "Après une heure" may also be a time.
		...all([1], 'first once single an_hour'),
		...all([2], 'second both couple pair double'),
		...all([3], 'third triple'),
		...all([0.5, 30, 50, 1.5], 'half half_an_hour'),
		...all([0.25, 15, 25, 4, 3], 'quarter quarters quarter_of_an_hour'),
		...all([12, 6, 24], 'dozen dozens'),
		...all([7, 8, 14, 15], 'week weeks'),
		...all([2, 14, 15], 'fortnight'),
		...all([12, 24, 18], 'noon midday year years day days'),
		...all([0, 12, 24], 'midnight oh'),
		...all([100], 'hundreds century centuries'),
		...all([1000], 'thousands'),
		...all([10], 'decade decades'),
		...all([1e6], 'millions'),
		...all([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 'oclock'),
	},
	percent: ['percent', 'per cent'],
	currencies: {
		...all('usd', 'dollar dollars usd buck bucks'),
		...all('eur', 'euro euros eur'),
		...all('gbp', 'pound pounds gbp quid sterling'),
		...all('jpy', 'yen jpy'),
		...all('chf', 'franc francs chf'),
		...all('sar', 'riyal riyals sar'),
		...all('aed', 'dirham dirhams aed'),
		...all('dinar', 'dinar dinars kwd'),
		...all('mxn', 'peso pesos mxn'),
		...all('inr', 'rupee rupees inr'),
		...all('cny', 'yuan renminbi cny rmb'),
		...all('krw', 'won krw'),
	},
	doubtfulCurrencies: ['won'],
	doubtfulMonths: ['may', 'march'],
	ofDate: ['of', 'the', ','],
	ordinals: ['st', 'nd', 'rd', 'th'],
	times: [
		'N ?(?:(?<am>a\\.? ?m\\b\\.?)|(?<pm>p\\.? ?m\\b\\.?))',
		"N ?o['’]?clock(?: (?:in the (?:(?<am>morning)|(?<pm>afternoon|evening))|(?<pm2>at night)))?",
		'(?<half>half) past N(?: (?:in the (?:(?<am>morning)|(?<pm>afternoon|evening))))?',
		'(?:a )?(?<past>quarter) (?:past|after) N(?: (?:in the (?:(?<am>morning)|(?<pm>afternoon|evening))))?',
		'(?:a )?(?<to>quarter) (?:to|of|before) N(?: (?:in the (?:(?<am>morning)|(?<pm>afternoon|evening))))?',
		'(?<m>N)(?: minutes)? (?:past|after) N',
		`(?<mto>N) minutes to N${END}`,
		`(?:at|until|till|its|it[’']s) (?<mto>N) to N${END}`,
	],
	decimal: '.',
	dateOrder: 'either',
	yearsInPairs: true,
};

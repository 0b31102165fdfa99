import fc from 'fast-check';

/** Pieces that make trouble: controls, direction marks, other scripts, characters of two units, halves of them. */
const TROUBLE = [
	'\0',
	'\n',
	'\r',
	'"',
	'\\',
	'\u2028',
	'\u202e',
	'\u2069',
	'\ufeff',
	'é',
	'日',
	'س',
	'😀',
	'\ud800',
	'\udc00',
];

/** Any string at all, lone surrogates included; far cheaper to make than fast-check's own of every code point. */
export const anyText: fc.Arbitrary<string> = fc
	.array(
		fc.oneof(
			fc.constantFrom(...TROUBLE),
			fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
		),
		{
			maxLength: 30,
		},
	)
	.map((pieces) => pieces.join(''));

import type { FieldProblem } from './draft.ts';

const NAMES: readonly (readonly [RegExp, FieldProblem['field']])[] = [
	[/^samples(\.\d+)?\.lang_code\b/, 'language'],
	[/^samples\b/, 'sample'],
	[/^name\b/, 'name'],
	[/^description\b/, 'description'],
	[/^labels\b/, 'labels'],
	[/^attributes\b/, 'attributes'],
];

/** The field of the form that a path of the service means, such as `data.samples.0.lang_code`; null = none. */
export function draftFieldOf(path: string): FieldProblem['field'] | null {
	const plain = path.replace(/\[(\d+)\]/g, '.$1').replace(/^(?:body\.)?(?:data\.)?/, '');
	return NAMES.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
}

import type { FieldProblem } from '#shared/problem.ts';
import { errorsOf, type ProblemOf, type ServiceErrorRecord } from '#shared/problem.ts';

const NAMES: readonly (readonly [RegExp, FieldProblem['field']])[] = [
	[/^samples(\.\d+)?\.lang_code\b/, 'language'],
	[/^samples\b/, 'sample'],
	[/^name\b/, 'name'],
	[/^description\b/, 'description'],
	[/^labels\b/, 'labels'],
	[/^attributes\b/, 'attributes'],
];

/** The form field for a path of the service, such as `data.samples.0.lang_code`; null = none. */
export function draftFieldOf(path: string): FieldProblem['field'] | null {
	const plain = path.replace(/\[(\d+)\]/g, '.$1').replace(/^(?:body\.)?(?:data\.)?/, '');
	return NAMES.find(([pattern]) => pattern.test(plain))?.[1] ?? null;
}

/** The service's objections to a description, sorted by form field, and the rest. */
export interface SortedRefusal {
	readonly atFields: ReadonlyMap<FieldProblem['field'], readonly ServiceErrorRecord[]>;
	/** Null: every record has a field. */
	readonly rest: ProblemOf<'voice-refused'> | null;
}

/** Assigns each record of a refusal to the field it names; records without one remain a separate problem. */
export function sortRefusal(problem: ProblemOf<'voice-refused'>): SortedRefusal {
	const { field, detail, code } = problem;
	const said = errorsOf(problem);
	const errors = said.length > 0 ? said : [{ field, detail, ...(code !== undefined && { code }) }];
	const atFields = Map.groupBy(errors, (record) => draftFieldOf(record.field ?? ''));
	const others = atFields.get(null) ?? [];
	const first = others[0];
	return {
		atFields: new Map([...atFields].flatMap(([name, records]) => (name === null ? [] : [[name, records]]))),
		rest: first
			? { ...problem, field: '', detail: first.detail ?? first.title ?? '', code: first.code, errors: others }
			: null,
	};
}

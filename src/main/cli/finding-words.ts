import type { CheckName, Finding } from '#shared/diagnosis/finding.ts';
import en from '#shared/i18n/en.json' with { type: 'json' };
import { recoveryOf } from '#shared/problem.ts';
import { hintFor } from './hints.ts';
import { errorDocuments, wordsOf } from './problem-words.ts';

const titles: Readonly<Record<CheckName, string>> = en.diagnosis.check;
const sayings: Readonly<Record<string, string>> = en.diagnosis.says;
const steps: Readonly<Record<string, string>> = en.diagnosis.step;

export function titleOf(check: CheckName): string {
	return titles[check];
}

/** What was found, in a sentence. */
export function lineOf({ says, facts, problem }: Finding): string {
	if (problem) return wordsOf(problem);
	const sentence = sayings[says ?? ''] ?? '';
	return sentence.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
		const value = facts[name] ?? '';
		// It names another check.
		return name === 'check' ? (titles[value as CheckName] ?? String(value)) : String(value);
	});
}

/** What to do about it; empty where there is nothing to do. */
export function stepOf({ state, problem }: Finding): string {
	if (!problem || (state !== 'failed' && state !== 'warning')) return '';
	return hintFor(problem) || (steps[recoveryOf[problem.kind]] ?? '');
}

export function documentOf(finding: Finding): unknown {
	const { check, state, says, facts, problem } = finding;
	return {
		check,
		state,
		finding: problem?.kind ?? says,
		message: lineOf(finding),
		next_step: stepOf(finding) || null,
		facts,
		...(problem && errorDocuments(problem)),
	};
}

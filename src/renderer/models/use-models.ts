import { useState } from 'react';
import { useParts } from '#renderer/shell/parts.ts';
import type { ModelEntry } from '#shared/host/models.ts';
import type { Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { isOnItsWay } from './model-words.ts';

/** What can be done with models, and why the last of it failed. */
export interface ModelActs {
	readonly problem: Problem | null;
	dismiss(): void;
	/** Downloads them, or goes on. */
	add(models: readonly ModelEntry[]): Promise<boolean>;
	pause(models: readonly ModelEntry[]): Promise<boolean>;
	cancel(models: readonly ModelEntry[]): Promise<boolean>;
	remove(model: ModelEntry): Promise<boolean>;
}

export function useModels(): ModelActs {
	const { host } = useParts();
	const [problem, setProblem] = useState<Problem | null>(null);

	async function run(asked: readonly Promise<Result<unknown, Problem>>[]): Promise<boolean> {
		const failed = (await Promise.all(asked)).find((answer) => !answer.ok);
		setProblem(failed && !failed.ok ? failed.error : null);
		return !failed;
	}

	return {
		problem,
		dismiss: () => setProblem(null),
		add: (models) => run([host.ask('models.add', { ids: models.map(({ id }) => id) })]),
		pause: (models) => run(models.filter(isOnItsWay).map(({ id }) => host.ask('models.pause', { id }))),
		cancel: (models) =>
			run(
				models
					.filter((model) => isOnItsWay(model) || model.state === 'paused')
					.map(({ id }) => host.ask('models.cancel', { id })),
			),
		remove: ({ id }) => run([host.ask('models.remove', { ids: [id] })]),
	};
}

import type { AccountStatus } from '#shared/host/contract.ts';
import type { Problem } from '#shared/problem.ts';

/** Why the service cannot be asked: there is no key, or none for its address. The sandbox and this computer need none. */
export function keyProblem({ service, key, apiUrl }: AccountStatus): Problem | null {
	if (service === 'sandbox' || service === 'local' || key.present) return null;
	if (!key.elsewhere) return { kind: 'api-key-missing' };
	return { kind: 'key-elsewhere', host: URL.parse(apiUrl)?.host ?? '' };
}

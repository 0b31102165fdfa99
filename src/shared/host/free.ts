import type { Settings } from '#shared/settings/schema.ts';

/** Whether a process of ours interprets, which needs no account and costs nothing: the sandbox, or this computer. */
export function isFree(service: Settings['service']): service is 'sandbox' | 'local' {
	return service === 'sandbox' || service === 'local';
}

import type { Account } from '#main/account/account.ts';
import { PUBLIC_REST_BASE } from '#main/service/addresses.ts';
import { type Product, socketAddress } from '#main/streaming/addresses.ts';
import { err, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';

type SocketAccount = Pick<Account, 'baseUrl' | 'socketsNamed' | 'socketRefusal'>;

/**
 * The address of a socket for the account in force. `key-elsewhere` when the key was not given for the socket that was
 * named; no other socket takes its place, since nobody asked for one.
 */
export function socketOf(account: SocketAccount, product: Product): Result<string, Problem> {
	const refusal = account.socketRefusal(product);
	if (refusal) return err(refusal);
	return socketAddress(product, {
		restBase: account.baseUrl(),
		publicBase: PUBLIC_REST_BASE,
		named: account.socketsNamed(),
	});
}

import type { ServiceContext } from '#main/cli/context.ts';
import { EXIT, type ExitStatus } from '#shared/exit-status.ts';

/** The command `balance`. */
export async function showBalance({ readBalance, output, signal }: ServiceContext): Promise<ExitStatus> {
	const balance = await readBalance(signal);
	if (!balance.ok) return output.problem(balance.error);
	const { credits, usd } = balance.value;
	const said = [
		credits === null ? '' : `${credits} credits`,
		usd === null ? '' : `${credits === null ? '' : 'about '}${usd.toFixed(2)} US dollars`,
	];
	output.result({ credits, usd_equivalent: usd }, [said.filter((part) => part !== '').join(', ')]);
	return EXIT.done;
}

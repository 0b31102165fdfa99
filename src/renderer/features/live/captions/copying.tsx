import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import hidden from '#renderer/ui/hidden.module.css';

/** Copies a text and says so; true when it worked. */
type Copy = (text: string, said: string) => Promise<boolean>;

const CopyContext = createContext<Copy>(async () => false);

export function useCopy(): Copy {
	return useContext(CopyContext);
}

/** What was copied is said to whoever cannot see it. */
export function Copying({ children }: { readonly children: ReactNode }) {
	const { t } = useTranslation();
	const [said, setSaid] = useState({ text: '', times: 0 });
	const copy = useCallback<Copy>(
		async (text, words) => {
			const worked = await navigator.clipboard.writeText(text).then(
				() => true,
				() => false,
			);
			setSaid(({ times }) => ({ text: worked ? words : t('captions.copyFailed'), times: times + 1 }));
			return worked;
		},
		[t],
	);
	return (
		<CopyContext value={copy}>
			{children}
			<p role="status" className={hidden.hidden} data-testid="copied">
				{/* The same words twice are news, too. */}
				<span key={said.times}>{said.text}</span>
			</p>
		</CopyContext>
	);
}

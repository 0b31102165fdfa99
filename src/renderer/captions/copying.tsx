import { createContext, type ReactNode, useCallback, useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import hidden from '#renderer/ui/hidden.module.css';
import { copyText } from './copy-text.ts';

/** Copies a text and says so; true when it worked. */
type Copy = (text: string, said: string) => Promise<boolean>;

const CopyContext = createContext<Copy>(async () => false);

export function useCopy(): Copy {
	return useContext(CopyContext);
}

/** Announces to screen readers what was copied. */
export function Copying({ children }: { readonly children: ReactNode }) {
	const { t } = useTranslation();
	const [said, setSaid] = useState({ text: '', times: 0 });
	const copy = useCallback<Copy>(
		async (text, words) => {
			const worked = await copyText(text);
			setSaid(({ times }) => ({ text: worked ? words : t('captions.copyFailed'), times: times + 1 }));
			return worked;
		},
		[t],
	);
	return (
		<CopyContext value={copy}>
			{children}
			<p role="status" className={hidden.hidden} data-testid="copied">
				{/* The same words twice must be announced twice. */}
				<span key={said.times}>{said.text}</span>
			</p>
		</CopyContext>
	);
}

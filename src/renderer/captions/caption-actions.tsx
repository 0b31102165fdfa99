import { createContext, type ReactNode, Suspense, useCallback, useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import hidden from '#renderer/ui/hidden.module.css';
import { lazily } from '#renderer/ui/lazily.ts';
import { copyText } from './copy-text.ts';
import type { CorrectDialogProps } from './correct-dialog.tsx';

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

type Asked = Pick<CorrectDialogProps, 'texts' | 'marked'>;

/** Opens the dialog that corrects a word. */
type Correct = (asked: Asked) => void;

const CorrectContext = createContext<Correct>(() => {});

export function useCorrecting(): Correct {
	return useContext(CorrectContext);
}

const CorrectDialog = lazily(async () => (await import('./correct-dialog.tsx')).CorrectDialog);

/** One dialog for all captions below it. */
export function Correcting({ children }: { readonly children: ReactNode }) {
	const [asked, setAsked] = useState<Asked | null>(null);
	return (
		<CorrectContext value={setAsked}>
			{children}
			{asked && (
				<Suspense fallback={null}>
					<CorrectDialog {...asked} onClose={() => setAsked(null)} />
				</Suspense>
			)}
		</CorrectContext>
	);
}

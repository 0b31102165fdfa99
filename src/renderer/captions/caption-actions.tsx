import { createContext, type ReactNode, Suspense, useCallback, useContext, useState } from 'react';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { lazilyWithWords } from '#renderer/i18n/use-words.ts';
import hidden from '#renderer/ui/hidden.module.css';
import { copyText } from './copy-text.ts';
import type { CorrectPopoverProps } from './correct-word.tsx';

/** Copies a text and announces it; true on success. */
type Copy = (text: string, said: string) => Promise<boolean>;

const CopyContext = createContext<Copy>(async () => false);

export function useCopy(): Copy {
	return useContext(CopyContext);
}

/** Announces copied texts to screen readers. */
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
				{/* A new key, so that the same words are announced again. */}
				<span key={said.times}>{said.text}</span>
			</p>
		</CopyContext>
	);
}

export type Asked = Omit<CorrectPopoverProps, 'onClose' | 'given'>;

/** Opens the popover that corrects a word. */
type Correct = (asked: Asked) => void;

const CorrectContext = createContext<Correct>(() => {});

export function useCorrecting(): Correct {
	return useContext(CorrectContext);
}

const CorrectPopover = lazilyWithWords(async () => (await import('./correct-word.tsx')).CorrectPopover);

/** One popover for all captions inside, because their rows come and go as they scroll. */
export function Correcting({ children }: { readonly children: ReactNode }) {
	const [asked, setAsked] = useState<Asked | null>(null);
	const close = useCallback(() => setAsked(null), []);
	return (
		<CorrectContext value={setAsked}>
			{children}
			{asked && (
				<Suspense fallback={null}>
					<CorrectPopover key={asked.texts.map(({ text }) => text).join()} {...asked} onClose={close} />
				</Suspense>
			)}
		</CorrectContext>
	);
}

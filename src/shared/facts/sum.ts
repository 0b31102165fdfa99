/** One element of a number: a value to add, or a factor. */
export interface Atom {
	readonly value?: number;
	readonly scale?: number;
	/** Preceded by "and", as a word or a prefix. */
	readonly and?: boolean;
	/** "And" is part of the same word. */
	readonly joined?: boolean;
}

/** Builds a number from its elements; several values if its digits have several readings. */
export class Sum {
	private total = 0;
	private current: readonly number[];
	private last: Atom | null = null;
	private scale = Number.POSITIVE_INFINITY;
	private isEmpty: boolean;

	constructor(start: readonly number[] | null = null) {
		this.current = start ?? [0];
		this.isEmpty = start === null;
	}

	copy(): Sum {
		return Object.assign(new Sum(), this);
	}

	values(): readonly number[] {
		return this.current.map((current) => rounded(this.total + current));
	}

	lastScale(): number {
		const { scale, value = 0 } = this.last ?? {};
		// The Arabic "two thousand" and "two million" are each one word.
		return scale ?? (value >= 1000 ? value / 2 : 1);
	}

	/** Returns false if the atom does not belong to this number. */
	add(atom: Atom, afterDigits: boolean): boolean {
		if (atom.and && !this.mayFollowAnd(atom)) return false;
		const fits = atom.scale
			? this.multiply(atom.scale, afterDigits)
			: !afterDigits && this.plus(atom.value ?? 0, atom.joined === true);
		if (!fits) return false;
		this.last = atom;
		this.isEmpty = false;
		return true;
	}

	/**
	 * Whether "and" may precede: "Two hundred and five", "treinta y cinco", "vingt et un"; not "ten and five".
	 */
	private mayFollowAnd({ value = 0, joined = false }: Atom): boolean {
		if (this.isEmpty) return true;
		const [current = 0] = this.current;
		const afterScale = this.last?.scale !== undefined || current % 100 === 0;
		const tenAndUnit = current % 100 >= 20 && current % 10 === 0 && value < 20;
		// "Six and twenty" is a time in Spanish, and a number in Arabic.
		const unitAndTen = joined && current % 100 > 0 && current % 100 < 10 && value >= 20 && value < 100;
		return afterScale || tenAndUnit || unitAndTen;
	}

	private plus(value: number, joined: boolean): boolean {
		const [current = 0] = this.current;
		if (this.isEmpty) return this.set(value);
		// "Oh six", "null sechs" are digits read out, not a sum.
		if (value === 0 || (current === 0 && this.total === 0)) return false;
		const rest = current % 100;
		if (value < 1000 && current >= 2000 && current % 1000 === 0) return this.set(current + value);
		if (value === 100 && current >= 1 && current <= 9) return this.set(current * 100);
		if (value >= 100) return current === 0 && this.set(value);
		if (rest === 0) return this.set(current + value);
		if (value < 10) return rest >= 20 && rest % 10 === 0 && this.set(current + value);
		if (value < 20) {
			const isFrench = (rest === 60 || rest === 80) && value >= 10;
			const isArabic = value === 10 && rest < 10;
			return (isFrench || isArabic) && this.set(current + value);
		}
		return joined && rest < 10 && this.set(current + value);
	}

	private set(value: number): boolean {
		this.current = [value];
		return true;
	}

	private multiply(scale: number, afterDigits: boolean): boolean {
		const [current = 0] = this.current;
		if (scale === 100 && !afterDigits) {
			if (current > 19 || !Number.isInteger(current)) return false;
			return this.set((current || 1) * 100);
		}
		if (current === 0 && this.total > 0) {
			if (scale <= this.scale) return false;
			this.total *= scale;
		} else if (scale > this.scale) {
			this.total = (this.total + current) * scale;
		} else if (this.total === 0 && afterDigits) {
			this.current = this.current.map((one) => one * scale);
			this.scale = scale;
			return true;
		} else {
			this.total += (current || 1) * scale;
		}
		this.current = [0];
		this.scale = scale;
		return true;
	}
}

/** Rounds away errors of decimal arithmetic: 4.1 million, not 4099999.9999999995. */
export function rounded(value: number): number {
	return Number(value.toPrecision(15));
}

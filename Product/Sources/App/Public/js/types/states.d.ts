// The keys of everything that the pages receive, and the intents that they send, written from the Swift types by
// `Scripts/page-types`. A test fails when this file is older than they are.

declare namespace Wire {
    interface FeedState {
        title: string;
        phase: "idle" | "loading" | "loaded" | "failed";
        isLoading: boolean;
        notice: string | null;
        error: ScreenError | null;
        items: FeedItem[];
        isEmpty: boolean;
        more: FeedMore;
    }

    interface ScreenError {
        kind: string;
        message: string;
    }

    interface FeedItem {
        id: string;
        location: string | null;
        description: string | null;
        image: string;
        srcset: string | null;
        author: string | null;
        date: string | null;
        createdAt: string | null;
        commentCount: number | null;
        size: FeedSize | null;
        gap: FeedGap | null;
        age: string | null;
    }

    interface FeedSize {
        width: number;
        height: number;
    }

    interface FeedGap {
        id: string;
        more: FeedMore;
    }

    interface FeedMore {
        phase: "idle" | "loading" | "end" | "failed";
        message: string | null;
    }

    interface CommentsState {
        title: string;
        phase: "idle" | "loading" | "loaded" | "failed";
        isLoading: boolean;
        notice: string | null;
        error: ScreenError | null;
        comments: CommentsComment[];
        isEmpty: boolean;
    }

    interface CommentsComment {
        id: string;
        message: string;
        author: string;
        date: string;
        createdAt: string;
    }

    interface ContactsState {
        title: string;
        phase: "idle" | "loading" | "loaded" | "failed";
        isLoading: boolean;
        notice: string | null;
        error: ScreenError | null;
        query: string;
        contacts: ContactLine[];
        recent: ContactLine[];
        unresolved: number;
        card: CardLine | null;
        isEmpty: boolean;
        noMatch: string | null;
    }

    interface ContactLine {
        id: number;
        name: string;
        username: string;
        initials: string;
        image: string;
    }

    interface CardLine {
        id: string;
        brand: "visa" | "mastercard" | "amex" | "diners" | "discover" | "hipercard" | "elo" | null;
        brandName: string;
        masked: string;
        holder: string;
        expiry: string;
        isTestCard: boolean;
        testLabel: string | null;
        isExpired: boolean;
        isChosen: boolean;
    }

    interface PaymentState {
        title: string;
        phase: "loading" | "missing" | "unloaded" | "ready" | "earlier" | "sending" | "approved" | "declined" | "failed" | "unknown";
        contact: ContactLine | null;
        amount: PaymentAmount;
        needsCard: boolean;
        card: CardLine | null;
        cardProblem: string | null;
        cards: CardLine[];
        code: PaymentCode;
        canPay: boolean;
        canRetry: boolean;
        isChecking: boolean;
        ended: number;
        over: string | null;
        shown: string | null;
        payLabel: string;
        message: string | null;
        receipt: PaymentReceipt | null;
        unknown: PaymentUnknown | null;
        earlier: PaymentEarlier | null;
        error: ScreenError | null;
    }

    interface PaymentAmount {
        digits: string;
        text: string;
        edit: string;
        error: string | null;
        problem: string | null;
    }

    interface PaymentCode {
        length: number;
        problem: string | null;
    }

    interface PaymentReceipt {
        number: number | null;
        date: string;
        dateText: string;
        name: string;
        username: string;
        masked: string;
        brandName: string;
        testLabel: string | null;
        amount: string;
        total: string;
        status: string;
    }

    interface PaymentUnknown {
        text: string;
        canGiveUp: boolean;
    }

    interface PaymentEarlier {
        lines: string[];
        approved: string[];
        canRetry: boolean;
        failed: string | null;
    }

    interface PaymentsState {
        title: string;
        payments: PaymentsPayment[];
        isEmpty: boolean;
        missing: string | null;
        ended: PaymentsEnded | null;
        error: ScreenError | null;
    }

    interface PaymentsPayment {
        id: string;
        state: "sending" | "approved" | "declined" | "unknown" | "failed" | "abandoned";
        stateText: string;
        name: string;
        username: string;
        amount: string;
        day: string;
        timeText: string;
        masked: string;
        brandName: string;
        number: number | null;
        note: string | null;
        receipt: PaymentReceipt | null;
        codeLength: number;
        canCheck: boolean;
        canRetry: boolean;
        canGiveUp: boolean;
        isBusy: boolean;
        madeSince: string[];
        madeSinceText: string | null;
    }

    interface PaymentsEnded {
        id: string;
        count: number;
    }

    interface CardsState {
        title: string;
        cards: CardLine[];
        isEmpty: boolean;
        isOlderCopy: boolean;
        isLost: boolean;
        error: ScreenError | null;
    }

    interface CardFormState {
        title: string;
        fields: CardFormFields;
        canSave: boolean;
        isSaving: boolean;
        testLabel: string | null;
        saved: string | null;
        error: ScreenError | null;
    }

    interface CardFormFields {
        number: CardFormNumber;
        holder: CardFormField;
        expiry: CardFormField;
    }

    interface CardFormNumber {
        brand: "visa" | "mastercard" | "amex" | "diners" | "discover" | "hipercard" | "elo" | null;
        brandName: string | null;
        gaps: number[];
        maxLength: number;
        digits: number;
        isValid: boolean;
        error: string | null;
        problem: string | null;
    }

    interface CardFormField {
        isValid: boolean;
        error: string | null;
        problem: string | null;
    }

    interface FoaasState {
        title: string;
        isLoading: boolean;
        phrase: Phrase | null;
        notice: string | null;
        error: ScreenError | null;
        lastSeen: FoaasSeen[];
        palette: "ink" | "ember" | "moss" | "tide" | "plum" | "paper";
        operation: string | null;
        isFavorite: boolean | null;
        favoriteError: string | null;
    }

    interface Phrase {
        message: string;
        subtitle: string;
        text: string;
    }

    interface FoaasSeen {
        id: string;
        message: string;
        subtitle: string;
        dateText: string;
    }

    interface FoaasOperationsState {
        title: string;
        phase: "idle" | "loading" | "loaded" | "failed";
        isLoading: boolean;
        notice: string | null;
        error: ScreenError | null;
        query: string;
        filter: "all" | "favorites";
        favoriteCount: number | null;
        favoriteError: string | null;
        operations: FoaasOperationsOperation[];
        skippedText: string | null;
        isEmpty: boolean;
        noMatch: string | null;
    }

    interface FoaasOperationsOperation {
        id: string;
        name: string;
        fieldsText: string;
        sentence: SentencePart[];
        byline: SentencePart[];
        isAwaited: boolean;
        isFavorite: boolean | null;
    }

    interface SentencePart {
        text: string;
        isBlank: boolean;
    }

    interface FoaasPreviewState {
        title: string;
        phase: "loading" | "ready" | "failed" | "missing";
        name: string | null;
        fields: FoaasPreviewField[];
        phrase: Phrase | null;
        canFinish: boolean;
        done: boolean;
        message: string | null;
        error: ScreenError | null;
        palette: "ink" | "ember" | "moss" | "tide" | "plum" | "paper";
    }

    interface FoaasPreviewField {
        field: string;
        name: string | null;
        value: string;
    }

    interface FoaasSettingsState {
        title: string;
        filter: boolean;
        palette: "ink" | "ember" | "moss" | "tide" | "plum" | "paper";
        palettes: FoaasSettingsPalette[];
        example: FoaasSettingsExample;
        error: ScreenError | null;
    }

    interface FoaasSettingsPalette {
        name: "ink" | "ember" | "moss" | "tide" | "plum" | "paper";
        title: string;
        isChosen: boolean;
    }

    interface FoaasSettingsExample {
        after: string;
    }

    interface AudioState {
        phase: "idle" | "loading" | "loaded" | "failed";
        isLoading: boolean;
        notice: string | null;
        error: ScreenError | null;
        clips: AudioClip[];
        isEmpty: boolean;
        outboxCount: number;
        sizeText: string | null;
    }

    interface AudioClip {
        id: string;
        ownID: string;
        title: string;
        author: string | null;
        dateText: string;
        duration: number;
        waveform: number[];
        offline: "none" | "downloading" | "done" | "expired" | "failed";
        percent: number | null;
        offlineText: string | null;
        audio: string;
        pending: AudioPending | null;
    }

    interface AudioPending {
        state: "waiting" | "posting" | "paused" | "refused";
        percent: number | null;
        text: string | null;
        canRetry: boolean;
        canEdit: boolean;
    }

    interface AudioComposeState {
        phase: "empty" | "ready" | "sending" | "sent" | "queued" | "failed";
        file: AudioComposeFile | null;
        fileError: string | null;
        title: string;
        titleError: string | null;
        canSend: boolean;
        percent: number | null;
        sentBytesText: string | null;
        message: string | null;
        sent: AudioComposeSent | null;
    }

    interface AudioComposeFile {
        name: string;
        sizeText: string;
    }

    interface AudioComposeSent {
        id: string;
        title: string;
    }

    interface OutboxState {
        items: OutboxItem[];
        isPaused: boolean;
        isDraining: boolean;
        isEmpty: boolean;
        notice: string | null;
        sent: string[];
        error: ScreenError | null;
    }

    interface OutboxItem {
        id: string;
        title: string;
        detail: string;
        state: "waiting" | "sending" | "paused" | "failed";
        percent: number | null;
        attempts: number;
        whenText: string | null;
        reason: string | null;
        canEdit: boolean;
        canRetry: boolean;
    }

    interface DriveState {
        phase: "idle" | "loading" | "loaded" | "failed";
        isLoading: boolean;
        notice: string | null;
        error: ScreenError | null;
        owner: string | null;
        needsKey: boolean;
        keyText: string | null;
        accounts: DriveAccount[];
        isEmpty: boolean;
        totalText: string | null;
        partialText: string | null;
    }

    interface DriveAccount {
        address: string;
        name: string;
        usageText: string;
        freeText: string;
        percent: number;
        isImmutable: boolean;
        isToBeDeleted: boolean;
        savedText: string | null;
    }

    interface DriveCreateState {
        phase: "editing" | "creating" | "created" | "failed";
        step: string | null;
        name: string;
        nameError: string | null;
        size: string;
        sizeError: string | null;
        spend: Spend | null;
        isPriceKnown: boolean;
        canCreate: boolean;
        created: DriveCreateCreated | null;
        message: string | null;
        isUnknown: boolean;
        isPriceChanged: boolean;
        balanceText: string | null;
        balanceExact: string | null;
        handed: string;
        handedText: string | null;
        handedOwner: string | null;
        handedConfirmation: string | null;
        handedError: string | null;
        canHandOver: boolean;
        handedOver: string | null;
        owner: string | null;
        needsKey: boolean;
        keyText: string | null;
    }

    interface Spend {
        shades: string;
        cost: string;
        costExact: string;
        before: string | null;
        beforeExact: string | null;
        after: string | null;
        afterExact: string | null;
        isTooMuch: boolean;
    }

    interface DriveCreateCreated {
        address: string;
        name: string;
        sizeText: string;
    }

    interface DriveAccountState {
        isMissing: boolean;
        address: string;
        phase: "idle" | "loading" | "loaded" | "failed";
        isLoading: boolean;
        notice: string | null;
        error: ScreenError | null;
        name: string | null;
        confirmation: string | null;
        usageText: string | null;
        freeText: string | null;
        percent: number | null;
        isImmutable: boolean;
        isToBeDeleted: boolean;
        objects: ObjectNames | null;
        files: DriveAccountFile[];
        isEmpty: boolean;
        isOwner: boolean;
        action: DriveAccountAction | null;
        lastDone: DriveAccountAction | null;
        upload: DriveAccountUpload | null;
        problem: string | null;
        isPriceChanged: boolean;
        failed: DriveAccountAction | null;
        amount: string;
        amountProblem: string | null;
        addProblem: string | null;
        spend: Spend | null;
        balanceText: string | null;
        balanceExact: string | null;
        stakeText: string | null;
        unstakedText: string | null;
    }

    interface ObjectNames {
        phase: "idle" | "loading" | "loaded" | "failed";
        names: ObjectNamesName[];
        missing: string[];
        error: string | null;
    }

    interface ObjectNamesName {
        name: string;
        isShown: boolean;
    }

    interface DriveAccountFile {
        name: string;
        sizeText: string;
        size: number;
        link: string;
        preview: string | null;
        thumbnail: string | null;
    }

    interface DriveAccountAction {
        kind: "uploading" | "replacing" | "deleting" | "addingStorage" | "reducingStorage" | "makingImmutable" | "askingForDeletion" | "keepingAccount" | "claiming";
        file: string | null;
    }

    interface DriveAccountUpload {
        percent: number;
        sentText: string;
        sent: number;
        total: number;
        done: number;
        files: number;
        isDone: boolean;
        stored: number;
        results: DriveAccountOutcome[];
    }

    interface DriveAccountOutcome {
        name: string;
        isStored: boolean;
        message: string | null;
    }

    interface InspectorState {
        events: InspectorEvent[];
    }

    interface InspectorEvent {
        id: number;
        date: string;
        subject: string;
        text: string;
        isTrouble: boolean;
    }

    interface ConnectionSwitch {
        available: boolean;
        mode: string;
        modes: string[];
    }

    interface InspectorList {
        entries: InspectorEntry[];
        totalBytes: number;
        failures: InspectorFailure[];
    }

    interface InspectorEntry {
        key: string;
        kind: string;
        size: number;
        savedAt: string | null;
        age: string | null;
        hits: number;
        validity: "fresh" | "expired" | "early" | "unreadable" | "partial";
        reason: string | null;
    }

    interface InspectorFailure {
        store: string;
        reason: string;
    }

    interface InspectorValidation {
        removed: string[];
        failures: InspectorFailure[];
    }

    interface UserAnswer {
        name: string | null;
    }

    interface ShellNews {
        unresolved: number;
        found: ShellNewsFound | null;
        network: string;
    }

    interface ShellNewsFound {
        id: string;
        text: string;
    }

    /** The state of each screen. */
    interface States {
        "feed": FeedState;
        "comments": CommentsState;
        "contacts": ContactsState;
        "payment": PaymentState;
        "payments": PaymentsState;
        "cards": CardsState;
        "card-form": CardFormState;
        "foaas": FoaasState;
        "foaas-operations": FoaasOperationsState;
        "foaas-preview": FoaasPreviewState;
        "foaas-settings": FoaasSettingsState;
        "audio": AudioState;
        "audio-compose": AudioComposeState;
        "outbox": OutboxState;
        "drive": DriveState;
        "drive-create": DriveCreateState;
        "drive-account": DriveAccountState;
        "inspector": InspectorState;
    }

    /** The intents of each screen, with the fields that they need. */
    interface Intents {
        "feed": {
            appear: {};
            loadMore: {};
            fill: { gap: string };
            dismissError: {};
            refresh: {};
        };
        "comments": {
            appear: {};
            dismissError: {};
            refresh: {};
        };
        "contacts": {
            appear: {};
            dismissError: {};
            search: { query: string };
            refresh: {};
        };
        "payment": {
            appear: {};
            amount: { digits: string, edit?: string };
            amountText: { text: string, digits?: string, edit?: string };
            chooseCard: { id: string };
            code: { value: string };
            pay: { digits: string, card?: string, attempt?: string, doubts?: string };
            resume: { attempt: string };
            check: {};
            retry: {};
            giveUp: {};
            checkEarlier: {};
            retryEarlier: { approved?: string };
            payOnceMore: { approved?: string };
            again: {};
            dismissError: {};
            refresh: {};
        };
        "payments": {
            appear: {};
            check: { id: string };
            retry: { id: string, code?: string, besides?: string };
            giveUp: { id: string };
            dismissError: {};
            refresh: {};
        };
        "cards": {
            appear: {};
            choose: { id: string };
            remove: { id: string };
            acceptOlder: {};
            discardOlder: {};
            dismissError: {};
            refresh: {};
        };
        "card-form": {
            appear: {};
            edit: { field: string, value: string };
            save: { holder?: string, expiry?: string };
            reset: {};
            dismissError: {};
            refresh: {};
        };
        "foaas": {
            appear: {};
            random: {};
            show: { id: string };
            favorite: { id: string, on: string };
            dismissFavorite: {};
            dismissError: {};
            refresh: {};
        };
        "foaas-operations": {
            appear: {};
            dismissError: {};
            dismissFavorite: {};
            search: { query: string };
            look: { ids: string };
            favorite: { id: string, on: string };
            show: { filter: string };
            refresh: {};
        };
        "foaas-preview": {
            appear: {};
            edit: { field: string, value: string };
            finish: {};
            retry: {};
            dismissError: {};
            refresh: {};
        };
        "foaas-settings": {
            appear: {};
            filter: { on: string };
            palette: { name: string };
            dismissError: {};
            refresh: {};
        };
        "audio": {
            appear: {};
            download: { id: string };
            cancelDownload: { id: string };
            removeDownload: { id: string };
            retry: { id: string };
            edit: { id: string, title: string };
            discard: { id: string };
            dismissError: {};
            refresh: {};
        };
        "audio-compose": {
            appear: {};
            title: { text: string };
            send: { title?: string, author?: string };
            retry: { title?: string, author?: string };
            later: { title?: string, author?: string };
            cancel: {};
            again: {};
            removeFile: {};
            refresh: {};
        };
        "outbox": {
            appear: {};
            send: {};
            retry: { id: string };
            discard: { id: string };
            cancel: { id: string };
            edit: { id: string, title: string };
            pause: {};
            resume: {};
            dismissError: {};
            refresh: {};
        };
        "drive": {
            appear: {};
            dismissError: {};
            refresh: {};
        };
        "drive-create": {
            appear: {};
            name: { text: string };
            size: { text: string };
            create: { size: string, cost: string };
            again: {};
            transaction: { text: string };
            handOver: { transaction: string, typed?: string };
            refresh: {};
        };
        "drive-account": {
            appear: {};
            objects: {};
            dismissObjects: {};
            upload: { batch: string, replacing?: string, count?: string };
            replace: { batch: string, file: string, count?: string };
            abandon: { batch: string };
            cancelUpload: {};
            dismissUpload: {};
            delete: { file: string };
            amount: { text: string };
            addStorage: { size: string, cost: string };
            reduceStorage: { size: string };
            makeImmutable: { typed: string };
            deleteAccount: { typed: string };
            keepAccount: {};
            claim: {};
            dismissError: {};
            refresh: {};
        };
        "inspector": {
            appear: {};
            clear: {};
            refresh: {};
        };
    }
}

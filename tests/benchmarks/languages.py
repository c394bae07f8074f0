"""Libraries that recognize a language, on short sentences: right answers, English taken for another, start, memory.

Run with ``PYTHONPATH=.:<dir> python -m tests.benchmarks.languages <name>`` after ``pip install --target <dir> <it>``;
``ours`` is what the product uses. One library a process. docs/decisions/0010-language-model.md has the figures.
"""

import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SENTENCES = {
    "en": """
The cat sleeps.|Where is the station?|We meet at nine.|Thanks a lot for your help!|Please send me the invoice.
I can't find my keys.|The delivery arrives tomorrow.|See you later|Our office is closed today.
Nobody told me about it.|Good morning everyone|It rained all night.""",
    "de": """
Die Katze schläft.|Wo ist der Bahnhof?|Wir treffen uns um neun.|Vielen Dank für die Hilfe!
Bitte schicken Sie mir die Rechnung.|Ich finde meine Schlüssel nicht.|Die Lieferung kommt morgen.|Bis später
Unser Büro ist heute geschlossen.|Niemand hat mir davon erzählt.|Guten Morgen zusammen
Es hat die ganze Nacht geregnet.""",
    "fr": """
Le chat dort.|Où est la gare ?|On se retrouve à neuf heures.|Merci beaucoup pour votre aide !
Envoyez-moi la facture, s'il vous plaît.|Je ne trouve pas mes clés.|La livraison arrive demain.|À plus tard
Notre bureau est fermé aujourd'hui.|Personne ne m'en a parlé.|Bonjour tout le monde|Il a plu toute la nuit.""",
    "es": """
El gato duerme.|¿Dónde está la estación?|Nos vemos a las nueve.|¡Muchas gracias por su ayuda!
Por favor, envíeme la factura.|No encuentro mis llaves.|La entrega llega mañana.|Hasta luego
Nuestra oficina está cerrada hoy.|Nadie me lo contó.|Buenos días a todos|Llovió toda la noche.""",
    "it": """
Il gatto dorme.|Dove si trova la stazione?|Ci vediamo alle nove.|Grazie mille per l'aiuto!
Per favore mi mandi la fattura.|Non trovo le mie chiavi.|La consegna arriva domani.|A più tardi
Il nostro ufficio è chiuso oggi.|Nessuno me l'ha detto.|Buongiorno a tutti|Ha piovuto tutta la notte.""",
    "pt": """
O gato está dormindo.|Onde fica a estação?|A gente se encontra às nove.|Muito obrigado pela ajuda!
Por favor, envie-me a fatura.|Não encontro as minhas chaves.|A entrega chega amanhã.|Até logo
O nosso escritório está fechado hoje.|Ninguém me contou isso.|Bom dia a todos|Choveu a noite toda.""",
    "nl": """
De kat slaapt.|Waar is het station?|We spreken om negen uur af.|Hartelijk dank voor je hulp!
Stuur mij alsjeblieft de factuur.|Ik kan mijn sleutels niet vinden.|De levering komt morgen aan.|Tot later
Ons kantoor is vandaag gesloten.|Niemand heeft het mij verteld.
Goedemorgen allemaal|Het heeft de hele nacht geregend.""",
    "sv": """
Katten sover.|Var ligger stationen?|Vi ses klockan nio.|Tack så mycket för hjälpen!|Skicka fakturan till mig, tack.
Jag hittar inte mina nycklar.|Leveransen kommer imorgon.|Vi ses senare|Vårt kontor är stängt idag.
Ingen berättade det för mig.|God morgon allihopa|Det regnade hela natten.""",
    "pl": """
Kot śpi.|Gdzie jest dworzec?|Spotykamy się o dziewiątej.|Bardzo dziękuję za pomoc!|Proszę przesłać mi fakturę.
Nie mogę znaleźć kluczy.|Dostawa przyjdzie jutro.|Do zobaczenia|Nasze biuro jest dziś zamknięte.
Nikt mi o tym nie powiedział.|Dzień dobry wszystkim|Padało całą noc.""",
    "tr": """
Kedi uyuyor.|İstasyon nerede?|Saat dokuzda buluşuyoruz.|Yardımınız için çok teşekkürler!
Lütfen bana faturayı gönderin.|Anahtarlarımı bulamıyorum.|Teslimat yarın geliyor.|Görüşürüz|Ofisimiz bugün kapalı.
Kimse bana söylemedi.|Herkese günaydın|Bütün gece yağmur yağdı.""",
}
ENGLISH = """
Hello there.|The café moved to 12 Main St. 🙂|The coup d’état was de facto over by noon.|Welcome aboard
He said "no" twice.|We drove from Los Angeles to La Paz in a day|Mail ana@example.com now.
El Paso, Los Angeles, La Paz.|Call Jürgen Müller.|Invoice 4711 is paid|OK|pls fix asap thx|Deploy failed on prod-db-3
I am so glad that you came|Big sale!|Hi team|lol no way|Deliver to Calle Mayor 5, Madrid
Our menu: pasta, pizza, risotto, tiramisu|Summary|Fußball is fun|Note to self: buy milk
Joyeux Noël, as they say in France|Done.|Kudos to Anna|Siesta time|Vendor: Müller GmbH, Berlin|Bon voyage, team!
Zeitgeist and schadenfreude are loan words|Al dente pasta|THE CAT SLEEPS"""
"""With names, jargon and borrowed words."""


def listed(text: str) -> list[str]:
    return [one for line in text.strip().splitlines() for one in line.split("|")]


def recognizer(name: str) -> Callable[[str], str]:
    """Its answer to a text, as a code of two letters."""
    library: Any = importlib.import_module("bot.domain.localization.detection" if name == "ours" else name)
    if name == "ours":
        return lambda text: str(library.guess(text).language)
    if name == "lingua":
        detector = library.LanguageDetectorBuilder.from_all_languages().build()
        return lambda text: str(detector.detect_language_of(text).iso_code_639_1.name).lower()
    if name == "eld":
        reader = library.LanguageDetector()
        return lambda text: str(reader.detect(text).language)
    if name == "pycld2":
        return lambda text: str(library.detect(text, bestEffort=True)[2][0][1])
    classify = library.detect if name == "langdetect" else lambda text: library.classify(text)[0]
    return lambda text: str(classify(text))


def resident() -> int:
    """KiB."""
    return int(Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0])


def main(name: str) -> None:
    before, begun = resident(), time.perf_counter()
    answer = recognizer(name)
    answer("The quick brown fox")
    first, memory = time.perf_counter() - begun, (resident() - before) / 1024
    pairs = [(code, text) for code, texts in SENTENCES.items() for text in listed(texts)]
    begun = time.perf_counter()
    right = sum(answer(text).partition("-")[0] == code for code, text in pairs)
    each = (time.perf_counter() - begun) / len(pairs) * 1e6
    wrong = sum(answer(text) != "en" for text in listed(ENGLISH))
    sys.stdout.write(f"{name}: {right} of {len(pairs)}; {wrong} of {len(listed(ENGLISH))} English texts not English; ")
    sys.stdout.write(f"first answer {first:.3f} s, {memory:.0f} MiB, {each:.0f} µs each\n")


if __name__ == "__main__":
    main(sys.argv[1])
